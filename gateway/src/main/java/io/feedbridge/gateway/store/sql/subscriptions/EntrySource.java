package io.feedbridge.gateway.store.sql.subscriptions;

/**
 * Where entries of the list of subscriptions are, behind {@code :after}.
 *
 * @param tables the tables that conditions need: a count looks into no other table
 * @param joins the further tables of the columns
 */
record EntrySource(String columns, String tables, String joins, String where, String id) {

  String list(String conditions) {
    return columns + tables + joins + where + conditions + " ORDER BY " + id + " LIMIT :limit";
  }

  String count(String conditions) {
    return "SELECT COUNT(*) " + tables + where + conditions;
  }

  /** The id of the first entry behind {@code :skip} others. */
  String nth(String conditions) {
    return "SELECT %s %s ORDER BY %s LIMIT 1 OFFSET :skip"
        .formatted(id, tables + where + conditions, id);
  }

  String find() {
    return columns + tables + joins + where + " AND " + id + " = :id";
  }
}
