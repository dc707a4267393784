package io.feedbridge.gateway.admission;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.admission.Places.Place;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class PlacesTest {

  private final Places places = new Places(3, new Permits.Bounds(2, 4, 1, 2, 4));

  @Test
  void a_caller_has_its_share_and_others_have_theirs() {
    assertThat(places.tryEnter("one", "a")).isPresent();
    assertThat(places.tryEnter("one", "b")).isPresent();
    Place last = places.tryEnter("one", "c").orElseThrow();

    assertThat(places.tryEnter("one", "d")).isEmpty();
    assertThat(places.tryEnter("two", "d")).isPresent();
    last.close();
    last.close();
    assertThat(places.taken()).isEqualTo(3);
    assertThat(places.tryEnter("one", "e")).isPresent();
  }

  @Test
  void a_third_party_has_its_share_and_a_refused_caller_keeps_none() {
    places.tryEnter("one", "a");
    places.tryEnter("two", "a");

    for (int i = 0; i < 9; i++) {
      assertThat(places.tryEnter("three", "a")).isEmpty();
    }
    assertThat(places.tryEnter("three", "b")).isPresent();
  }

  @Test
  void a_request_waits_for_its_host_and_goes_on_when_a_place_is_left() {
    Place first = places.tryEnter("one", "a").orElseThrow();
    places.tryEnter("two", "a");
    List<String> turns = new ArrayList<>();
    CompletableFuture<Place> three = places.enter("three", "a").orElseThrow();
    CompletableFuture<Place> four = places.enter("four", "a").orElseThrow();
    var unused = CompletableFuture.allOf(three.thenAccept(place -> turns.add("three")));
    assertThat(places.enter("five", "a")).isEmpty();
    assertThat(places.enter("five", "b").orElseThrow()).isCompleted();

    first.close();
    assertThat(turns).containsExactly("three");
    assertThat(four).isNotDone();
    three.join().close();
    assertThat(four).isCompleted();
  }
}
