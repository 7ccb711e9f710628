/// What the migrations make of the schema, as the server reads it out of their scripts: of what a later step
/// makes again the last one counts.
enum SchemaDefinitions {
  /// All scripts in their order, the parameter of each of these queries.
  static let scripts = Schema.migrations.map { String(decoding: $0.script, as: UTF8.self) }
    .joined(separator: "\n")

  // The first quantifier decides whether a whole expression matches as little as it can.
  /// Yields `name` and `definition` of functions that are missing, or have another body or other rights.
  static let functions = #"""
    select d.name, d.definition from (
        select distinct on (m[2]) m[2] as name, m[1] as definition, m[3] as body,
            split_part(m[1], 'as $function$', 1) as head
          from regexp_matches($1, '(create or replace function staffbook\.([a-z_0-9]+?)\('
              || '.*?as \$function\$(.*?)\$function\$)', 'g') with ordinality r(m, place)
          order by m[2], place desc) d
      left join pg_proc p on p.proname = d.name and p.pronamespace = to_regnamespace('staffbook')
      where p.oid is null or p.prosrc <> d.body
        or p.prosecdef <> (d.head like '%security definer%')
        or d.head like '%set search_path = pg_catalog, pg_temp%'
          and not exists (select from unnest(p.proconfig) c(setting)
            where replace(c.setting, '"', '') = 'search_path=pg_catalog, pg_temp')
      order by 1
    """#

  /// Yields the names of indexes that are missing or not valid.
  static let indexes = #"""
    select d.name from (
        select distinct on (1) coalesce(m[1], m[2]) as name, m[2] is null as is_wanted
          from regexp_matches($1, 'create (?:unique )?index (?:if not exists )?([a-z_0-9]+)\s+'
              || 'on staffbook\.|drop index (?:if exists )?staffbook\.([a-z_0-9]+)', 'g') with ordinality r(m, place)
          order by 1, place desc) d
      where d.is_wanted and not exists (select from pg_class c join pg_index i on i.indexrelid = c.oid
        where c.relname = d.name and c.relnamespace = to_regnamespace('staffbook') and i.indisvalid)
      order by 1
    """#

  /// Yields the names of constraints that are missing or not validated.
  static let constraints = #"""
    select distinct m[1] from regexp_matches($1,
        '\mconstraint ([a-z_0-9]+)\s+(?:primary key|unique|check|foreign key)\s*\(', 'g') m
      where not exists (select from pg_constraint c where c.conname = m[1] and c.convalidated
        and c.connamespace = to_regnamespace('staffbook'))
      order by 1
    """#
}
