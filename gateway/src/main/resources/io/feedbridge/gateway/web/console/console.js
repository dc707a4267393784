// What needs no server: times in the reader's zone, curves, copy buttons, questions before a loss, the live log's pause.
(() => {
  "use strict";
  const MAX_ROWS = 300;
  const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "long" });
  const units = [[86400, "day"], [3600, "hour"], [60, "minute"], [1, "second"]];
  const relative = new Intl.RelativeTimeFormat("en", { numeric: "always", style: "short" });

  const age = (time) => {
    const seconds = Math.round((time - Date.now()) / 1000);
    if (Math.abs(seconds) < 10) return "just now";
    const [size, unit] = units.find(([size]) => Math.abs(seconds) >= 2 * size) || units[3];
    return relative.format(Math.trunc(seconds / size), unit);
  };

  const refresh = (root) => {
    for (const element of root.querySelectorAll("time[datetime]")) {
      const time = new Date(element.dateTime);
      if (Number.isNaN(time.getTime())) continue;
      element.title = exact.format(time);
      element.textContent = age(time);
    }
  };

  const numbers = (text) => text.split(",").map((number) => number === "" ? null : Number(number));
  const plot = (element) => {
    if (!window.uPlot || element.firstChild) return;
    const { name, second, times, values } = element.dataset;
    const colour = (variable) => getComputedStyle(element).getPropertyValue(variable);
    const axis = { stroke: colour("--soft"), grid: { stroke: colour("--line"), width: 1 }, ticks: { show: false } };
    const series = [{ label: "time" }, { label: name, stroke: colour("--main"), width: 2 }];
    if (second) series.push({ label: second, stroke: colour("--bad"), width: 2 });
    new uPlot({
      width: element.clientWidth, height: 160, series, legend: { live: true },
      scales: { y: { range: (u, least, most) => [0, Math.max(1, most)] } },
      axes: [axis, { ...axis, size: 45, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 1e4, 1e5, 1e6] }],
    }, [numbers(times), ...values.split(";").map(numbers)], element);
  };

  const prepare = (root) => {
    refresh(root);
    root.querySelectorAll(".plot").forEach(plot);
    for (const button of root.querySelectorAll("button[hidden].copy, [hidden].needs-script")) button.hidden = false;
  };

  document.addEventListener("click", async (event) => {
    const copy = event.target.closest("button[data-copy]");
    if (copy) {
      try {
        await navigator.clipboard.writeText(copy.dataset.copy);
        copy.textContent = "Copied";
      } catch {
        const range = document.createRange();
        range.selectNodeContents(copy.previousElementSibling);
        getSelection().removeAllRanges();
        getSelection().addRange(range);
        copy.textContent = "Selected";
      }
      setTimeout(() => { copy.textContent = "Copy"; }, 2000);
      return;
    }
    const offered = event.target.closest("button[data-add]");
    if (offered) {
      const topics = document.getElementById("topics");
      const lines = topics.value.split("\n").map((line) => line.trim()).filter((line) => line);
      if (!lines.includes(offered.dataset.add)) topics.value = [...lines, offered.dataset.add].join("\n");
      offered.textContent = "Added";
      return;
    }
    const asked = event.target.closest("button[data-confirm]");
    if (asked && !confirm(asked.dataset.confirm)) event.preventDefault();
    // Where there is no pointer to rest on a time, a touch shows the exact one.
    const time = event.target.closest("time[title]");
    if (time && !event.target.closest("a")) time.textContent = time.title;
  });

  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("input, textarea, select")) return;
    const search = document.querySelector("main input[type=search]");
    if (search) {
      event.preventDefault();
      search.focus();
    }
  });

  // The live log: while it is paused, rows wait; the page keeps the newest ones alone.
  let paused = false;
  let waiting = [];
  const add = (table, html) => htmx.swap(table, html, { swapStyle: "afterbegin" });
  document.addEventListener("htmx:sseBeforeMessage", (event) => {
    const quiet = document.getElementById("quiet");
    if (quiet) quiet.remove();
    if (!paused) return;
    event.preventDefault();
    waiting.push(event.detail.data);
    if (waiting.length > MAX_ROWS) waiting.shift();
    document.getElementById("pause").textContent = `Go on (${waiting.length})`;
  });
  document.addEventListener("htmx:afterSettle", (event) => {
    const table = document.getElementById("activity");
    if (table) while (table.rows.length > MAX_ROWS) table.deleteRow(-1);
    prepare(event.detail.elt.parentNode || document);
  });

  document.addEventListener("DOMContentLoaded", () => {
    prepare(document);
    setInterval(() => refresh(document), 10000);
    const pause = document.getElementById("pause");
    if (pause) pause.addEventListener("click", () => {
      paused = !paused;
      pause.setAttribute("aria-pressed", String(paused));
      pause.textContent = paused ? "Go on" : "Pause";
      if (!paused) {
        const table = document.getElementById("activity");
        waiting.forEach((html) => add(table, html));
        waiting = [];
      }
    });
  });
})();
