package io.feedbridge.gateway.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The build plays one mutant; a profile plays all. */
class MutantsTest {

  static Stream<Mutant> mutants() {
    return Stream.concat(
        Stream.concat(MutantsIT.all().stream(), NodeMutantsIT.mutants().stream())
            .map(mutant -> (Mutant) ((Named<?>) mutant.get()[0]).getPayload()),
        Stream.of(FsyncIT.CARELESS));
  }

  @ParameterizedTest
  @MethodSource("mutants")
  void each_mutant_still_finds_the_code_that_it_breaks(Mutant mutant) throws IOException {
    assertThat(mutant.source()).contains(mutant.replacement());
  }
}
