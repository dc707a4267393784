package io.feedbridge.gateway.store.sql.subscriptions;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.store.sqlite.EmptyStore;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The plans of queries that the console asks again and again. */
class SqlSubscriptionQueriesTest {

  @TempDir Path data;

  @Test
  void laggards_are_found_without_a_look_at_all_subscriptions() throws SQLException {
    List<String> plan =
        plan(SubscriptionQueries.LAGGING.list("").replace(":after", "0").replace(":limit", "6"));

    assertThat(plan.get(0)).startsWith("SEARCH l USING INTEGER PRIMARY KEY");
    assertThat(plan).noneMatch(step -> step.startsWith("SCAN"));
  }

  @Test
  void the_recipients_of_an_event_are_found_by_keys_alone() throws SQLException {
    List<String> plan =
        plan(
            EventRecipients.SQL
                .replace(":after", "0")
                .replace(":limit", "6")
                .replace(":feed", "1")
                .replace(":seq", "2"));

    assertThat(plan).anyMatch(step -> step.contains("subscription_of_feed"));
    // The rows of the bounded stretch of subscriptions, named s, are read one after the other.
    assertThat(plan).noneMatch(step -> step.startsWith("SCAN") && !step.equals("SCAN s"));
  }

  private List<String> plan(String query) throws SQLException {
    EmptyStore.in(data);
    List<String> plan = new ArrayList<>();
    try (Connection store =
            DriverManager.getConnection("jdbc:sqlite:" + data.resolve("feedbridge.db"));
        Statement statement = store.createStatement();
        ResultSet row = statement.executeQuery("EXPLAIN QUERY PLAN " + query)) {
      while (row.next()) {
        plan.add(row.getString("detail"));
      }
    }
    return plan;
  }
}
