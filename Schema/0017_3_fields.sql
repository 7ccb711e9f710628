-- Fields beyond the built-in ones: what a company keeps about its people and departments.
--
-- A field is declared once, in staffbook.fields; its values stand with the record, in one object
-- from the field's name to a text, or to a list of texts where the field has several values. A
-- column for each field would need the right to alter tables; a row for each value would treble
-- rows, marks and tombstones.

create table if not exists staffbook.fields (
  of text collate "C" not null,
  name text collate "C" not null,
  kind text collate "C" not null default 'text',
  label text not null,
  is_multiple boolean not null default false,
  is_searched boolean not null default true,
  sort_order bigint not null default 0,
  visible text collate "C" not null default 'everybody',
  for_oneself boolean not null default true,
  constraint fields_pkey primary key (of, name),
  constraint fields_of check (of in ('user', 'department')),
  constraint fields_name_form check (name ~ '^[a-z][a-z0-9_]{0,62}$'),
  constraint fields_name_free check (name not in (
    'department', 'department_id', 'departments', 'dept', 'description', 'disclosure', 'email',
    'fields', 'has', 'id', 'in', 'is', 'is_primary', 'kind', 'lead', 'leads', 'level', 'main',
    'memberships', 'name', 'order', 'parent', 'parent_id', 'path', 'people', 'phone', 'primary',
    'primary_department', 'primary_department_id', 'reports', 'sort_order', 'title', 'user',
    'user_id', 'users')),
  constraint fields_kind check (kind in ('text', 'phone', 'email', 'url', 'date', 'person')),
  constraint fields_label_length check (char_length(label) between 1 and 100),
  constraint fields_label_visible check (staffbook.is_visible(label))
);

comment on table staffbook.fields is
  'Fields that users and departments carry beyond the built-in ones';
comment on column staffbook.fields.of is 'What carries the field: user or department';
comment on column staffbook.fields.name is
  'Key of its values: a lower-case ASCII letter, then such letters, digits and underscores';
comment on column staffbook.fields.kind is
  'What its values are: text, phone, email, url, date (YYYY-MM-DD or --MM-DD) or person (an id)';
comment on column staffbook.fields.label is 'What people call it, up to 100 characters';
comment on column staffbook.fields.is_multiple is 'Whether a record may have several values of it';
comment on column staffbook.fields.is_searched is 'Whether a search looks at its values';
comment on column staffbook.fields.sort_order is
  'Place among the fields: smaller comes first, then the name';
comment on column staffbook.fields.visible is
  'Who sees its values where no rule names the field: everybody or nobody';
comment on column staffbook.fields.for_oneself is
  'Whether people see their own values, whatever the rules say';

-- A constraint is checked with the rights of whoever writes, who may execute nothing here: the condition of
-- is_visible() stands in the constraints themselves.
do $block$
declare
  one record;
  visible constant text := (select substring(p.prosrc from 'value operator.*$')
    from pg_catalog.pg_proc p where p.oid = 'staffbook.is_visible(text)'::regprocedure);
begin
  for one in
    select c.conname, c.conrelid::regclass as relation, a.attname
      from pg_catalog.pg_constraint c join pg_catalog.pg_attribute a
        on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
      where c.contype = 'c' and c.connamespace = 'staffbook'::regnamespace
        and pg_catalog.pg_get_constraintdef(c.oid) like '%staffbook.is_visible(%'
  loop
    execute format('alter table %s drop constraint %I, add constraint %2$I check (%s)',
      one.relation, one.conname, replace(visible, 'value operator', quote_ident(one.attname) || ' operator'));
  end loop;
end
$block$;

-- Dollar quotes, since the body is read again by every session, also by one with
-- standard_conforming_strings off.
create or replace function staffbook.is_of_kind(value text, kind text) returns boolean
language sql immutable parallel safe
as $function$
  select case kind
    when 'phone' then value collate "C" ~ $re$[0-9٠-٩۰-۹０-９]$re$
    when 'email' then value collate "C" ~ $re$^\S+@\S+$$re$
    when 'url' then value collate "C" ~ $re$^[A-Za-z][A-Za-z0-9+.-]*:\S+$$re$
    when 'date' then value collate "C" ~
        $re$^(\d{4}|-)-((0[13578]|1[02])-(0[1-9]|[12]\d|3[01])|(0[469]|11)-(0[1-9]|[12]\d|30)|02-(0[1-9]|[12]\d))$$re$
      and (value collate "C" !~ $re$^\d{4}-02-29$$re$
        or substr(value, 1, 4)::int % 4 = 0
          and (substr(value, 1, 4)::int % 100 <> 0 or substr(value, 1, 4)::int % 400 = 0))
    else true end
$function$;

revoke execute on function staffbook.is_of_kind(text, text) from public;

comment on function staffbook.is_of_kind(text, text) is
  'Whether a text can be a value of a field of that kind; a person is looked up elsewhere';

-- The values of a field, one or several.
create or replace function staffbook.field_values(value jsonb) returns setof text
language sql immutable parallel safe rows 1
as $function$
  select pg_catalog.jsonb_array_elements_text(
    case when pg_catalog.jsonb_typeof(value) = 'array' then value
      else pg_catalog.jsonb_build_array(value) end)
$function$;

revoke execute on function staffbook.field_values(jsonb) from public;

comment on function staffbook.field_values(jsonb) is
  'The values of a field as rows, whether it has one or several';

-- For a statement and not for each row: a million rows are checked in one query, planned for as
-- many rows as there are, since a plan made for one row would be quadratic.
create or replace function staffbook.check_fields() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set jit = off
set plan_cache_mode = force_custom_plan
as $function$
declare
  subject text;
  wrong record;
begin
  subject := case tg_relid when 'staffbook.users'::regclass then 'user'
    when 'staffbook.departments'::regclass then 'department' end;
  if subject is null then
    raise insufficient_privilege
      using message = 'check_fields() belongs to staffbook.departments and staffbook.users';
  end if;
  if not exists (select from new_rows n where n.fields <> '{}') then return null; end if;
  -- Whoever removes a declaration waits for this transaction, or this one for it. Locks of rows would
  -- write each declaration anew with every value that is written; only transactions whose snapshot may
  -- be too old to see the removal need them.
  if current_setting('transaction_isolation') = 'read committed' then
    lock table staffbook.fields in row share mode;
  else
    perform from staffbook.fields f where f.of = subject for share;
  end if;
  select n.id, e.key, f.kind, f.is_multiple, e.value::text as value into wrong
    from new_rows n cross join lateral jsonb_each(n.fields) e
      left join staffbook.fields f on f.of = subject and f.name = e.key
    where n.fields <> '{}' and (f.name is null
      or (jsonb_typeof(e.value) = 'array') <> f.is_multiple
      or case when f.kind in ('text', 'person') then false
        when not f.is_multiple then not staffbook.is_of_kind(e.value #>> '{}', f.kind)
        else exists (select from staffbook.field_values(e.value) v
          where not staffbook.is_of_kind(v, f.kind)) end)
    order by n.id, e.key limit 1;
  if found then
    raise exception '%', case
        when wrong.kind is null then format('the field "%s" is not declared', wrong.key)
        when (left(wrong.value, 1) = '[') <> wrong.is_multiple then case
          when wrong.is_multiple then format('the field "%s" takes a list of values', wrong.key)
          else format('the field "%s" takes one value, not a list', wrong.key) end
        else format('the field "%s" takes values of the kind %s', wrong.key, wrong.kind) end
      using errcode = 'check_violation', schema = 'staffbook', table = tg_table_name,
        column = 'fields', constraint = tg_table_name || '_fields_declared',
        detail = format('%s "%s" has %s', subject, wrong.id, left(wrong.value, 200));
  end if;

  if not exists (select from staffbook.fields f where f.of = subject and f.kind = 'person') then
    return null;
  end if;
  perform from staffbook.users u
    where u.id in (
      select v from new_rows n
          join staffbook.fields f on f.of = subject and f.kind = 'person' and n.fields ? f.name
          cross join lateral staffbook.field_values(n.fields -> f.name) v)
    for key share;
  select n.id, f.name, v as value into wrong
    from new_rows n
      join staffbook.fields f on f.of = subject and f.kind = 'person' and n.fields ? f.name
      cross join lateral staffbook.field_values(n.fields -> f.name) v
    where not exists (select from staffbook.users u where u.id = v)
      -- Of people who name each other and get other ids at once, the fields have followed by now.
      and (subject <> 'user' or exists (select from staffbook.users t
        where t.id = n.id and t.fields -> f.name = n.fields -> f.name))
    order by n.id, f.name limit 1;
  if found then
    raise exception 'the field "%" names the unknown user "%"', wrong.name, wrong.value
      using errcode = 'foreign_key_violation', schema = 'staffbook', table = tg_table_name,
        column = 'fields', constraint = tg_table_name || '_fields_person',
        detail = format('%s "%s" has it', subject, wrong.id);
  end if;
  return null;
end
$function$;

revoke execute on function staffbook.check_fields() from public;

comment on function staffbook.check_fields() is
  'Trigger: refuses values of fields that are not declared, or not of the declared kind';

-- People are found in fields by an index for each field of the kind person. An id is shorter than what is
-- indexed; a longer text, which only another kind of field has, must not keep a row from being written.
create or replace function staffbook.index_people() returns void
language plpgsql set search_path = pg_catalog, pg_temp set lock_timeout = '2s'
as $function$
declare
  index record;
begin
  for index in
    select coalesce(w.name, p.name) as name, w.definition
      from (
        select f.of || case when f.is_multiple then 's_people_' else 's_person_' end || case
              when length(f.name) <= 40 then f.name
              else left(f.name, 34) || '_' || left(md5(f.name), 8) end as name,
            format(case when f.is_multiple then '%I using gin ((fields -> %L)) where fields ? %2$L'
              else '%I (left(fields ->> %L, 300)) where fields ? %2$L' end, f.of || 's', f.name)
              as definition
          from staffbook.fields f where f.kind = 'person') w
        full join (
          select c.relname::text as name from pg_class c
            where c.relnamespace = 'staffbook'::regnamespace and c.relkind = 'i'
              and c.relname ~ '^(user|department)s_(person|people)_') p on p.name = w.name
      where w.name is null or p.name is null
  loop
    begin
      if index.definition is null then
        execute format('drop index staffbook.%I', index.name);
      else
        execute format('create index if not exists %I on staffbook.', index.name) || index.definition;
      end if;
    exception
      -- Without the index people are found all the same, only later, and one too many does no harm. A
      -- transaction that has written people may not index them, nor may who does not own them; and a
      -- reader that holds a table must not make all others wait behind us.
      when object_in_use or insufficient_privilege or lock_not_available then null;
    end;
  end loop;
end
$function$;

revoke execute on function staffbook.index_people() from public;

comment on function staffbook.index_people() is
  'Makes the indexes by which people are found in fields, and drops those without a field';

create or replace function staffbook.follow_declarations() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $function$
begin
  if tg_relid <> 'staffbook.fields'::regclass then
    raise insufficient_privilege using message = 'follow_declarations() belongs to staffbook.fields';
  end if;
  if tg_when = 'BEFORE' then
    -- Writers of values hold a weaker lock, which this one waits for.
    lock table staffbook.fields in exclusive mode;
  else
    perform staffbook.index_people();
  end if;
  return null;
end
$function$;

revoke execute on function staffbook.follow_declarations() from public;

comment on function staffbook.follow_declarations() is
  'Trigger: waits for those who write values; keeps the indexes of fields that name people';

-- What names them is locked before it is read: what others write meanwhile is not lost. All are replaced at
-- once: between two of them a record would name somebody who is not there.
create or replace function staffbook.replace_people(former text[], latter text[]) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp set jit = off
set plan_cache_mode = force_custom_plan set gin_fuzzy_search_limit = 0
as $function$
declare
  place record;
  subject text;
  found text[];
  hits text[];
begin
  for subject in
    select distinct f.of from staffbook.fields f where f.kind = 'person' order by 1
  loop
    hits := '{}';
    for place in
      select f.name, f.is_multiple from staffbook.fields f
        where f.of = subject and f.kind = 'person'
    loop
      -- Many people are sought in all lists: an index would be asked for each.
      execute format(
        case
          when not place.is_multiple then 'select array_agg(t.id) from staffbook.%I t
            where t.fields ? %L and left(t.fields ->> %2$L, 300) = any ($1)'
          when cardinality(former) <= 20 then 'select array_agg(t.id) from staffbook.%I t
            where t.fields ? %L and t.fields -> %2$L ?| $1'
          else 'select array_agg(distinct t.id) from staffbook.%I t
            cross join lateral staffbook.field_values(t.fields -> %L) v
            join unnest($1) gone(id) on gone.id = v
            where t.fields ? %2$L' end,
        subject || 's', place.name)
        into found using former;
      hits := hits || found;
    end loop;
    continue when cardinality(hits) = 0;
    execute format('select from staffbook.%I t where t.id = any ($1) order by t.id for no key update',
      subject || 's') using hits;
    execute format($sql$
      with hit as (
        select t.id, f.name, f.is_multiple,
            jsonb_agg(case when gone.id is null then v.id else gone.latter end order by v.place)
              filter (where gone.id is null or gone.latter is not null) as rest
          from (select distinct h.id from unnest($3) h(id)) h
            join staffbook.%1$I t on t.id = h.id
            join staffbook.fields f on f.of = %2$L and f.kind = 'person' and t.fields ? f.name
            cross join lateral staffbook.field_values(t.fields -> f.name)
              with ordinality v(id, place)
            left join unnest($1, $2) gone(id, latter) on gone.id = v.id
          group by t.id, f.name, f.is_multiple having count(gone.id) > 0
      ), latter as (
        select h.id, array_agg(h.name) as names,
            coalesce(jsonb_object_agg(h.name,
                case when h.is_multiple then h.rest else h.rest -> 0 end)
              filter (where h.rest is not null), '{}') as fields
          from hit h group by h.id
      )
      update staffbook.%1$I t set fields = (t.fields - l.names) || l.fields
        from latter l where t.id = l.id
    $sql$, subject || 's', subject)
      using former, latter, hits;
  end loop;
end
$function$;

revoke execute on function staffbook.replace_people(text[], text[]) from public;

comment on function staffbook.replace_people(text[], text[]) is
  'Replaces users in fields of the kind person; null takes them out';

create or replace function staffbook.follow_people() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $function$
declare
  former text[];
  latter text[];
begin
  if tg_relid <> 'staffbook.users'::regclass then
    raise insufficient_privilege using message = 'follow_people() belongs to staffbook.users';
  end if;
  if not exists (select from staffbook.fields f where f.kind = 'person') then return null; end if;
  if tg_op = 'UPDATE' and not exists (
    select from old_rows o where not exists (select from staffbook.users u where u.id = o.id))
  then
    return null;
  end if;
  -- An older snapshot would not show who names them by now.
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'where fields name people, people are only removed or given other ids at the isolation '
        'level READ COMMITTED'
      using errcode = 'object_not_in_prerequisite_state', schema = 'staffbook', table = 'users';
  end if;
  if tg_op = 'DELETE' then
    select array_agg(o.id), array_agg(null::text) into former, latter from old_rows o;
  else
    select array_agg(o.id), array_agg(n.id) into former, latter
      from (select row_number() over () as place, o.id from old_rows o) o
        join (select row_number() over () as place, n.id from new_rows n) n using (place)
      where o.id <> n.id;
  end if;
  begin
    perform staffbook.replace_people(former, latter);
  exception
    when check_violation or foreign_key_violation then
      -- The server's own words show the row, which the caller need not be allowed to see.
      raise exception 'a record that names a user of another id now cannot name them by it'
        using errcode = 'check_violation', schema = 'staffbook', table = 'users', column = 'id';
  end;
  return null;
end
$function$;

revoke execute on function staffbook.follow_people() from public;

comment on function staffbook.follow_people() is
  'Trigger: fields that name a user go along when the user is deleted or gets another id';

-- What a declaration says of values holds for those that are there.
create or replace function staffbook.guard_field() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $function$
declare
  found boolean;
begin
  if tg_relid <> 'staffbook.fields'::regclass then
    raise insufficient_privilege using message = 'guard_field() belongs to staffbook.fields';
  end if;
  if tg_op = 'TRUNCATE' then
    raise exception 'the declarations of fields cannot be truncated'
      using errcode = 'object_not_in_prerequisite_state', schema = 'staffbook', table = 'fields',
        hint = 'delete from staffbook.fields takes the values along';
  end if;
  -- Older snapshots would leave behind the values that were written since.
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'declarations of fields are only changed at the isolation level READ COMMITTED'
      using errcode = 'object_not_in_prerequisite_state', schema = 'staffbook', table = 'fields';
  end if;
  if tg_op = 'DELETE' then
    if old.of = 'user' then
      update staffbook.users set fields = fields - old.name where fields ? old.name;
    else
      update staffbook.departments set fields = fields - old.name where fields ? old.name;
    end if;
    return null;
  end if;
  if old.of = 'user' then
    select exists (select from staffbook.users u where u.fields ? old.name) into found;
  else
    select exists (select from staffbook.departments d where d.fields ? old.name) into found;
  end if;
  if found then
    raise exception 'the field "%" has values', old.name
      using errcode = 'object_not_in_prerequisite_state', schema = 'staffbook', table = 'fields',
        hint = 'label, is_searched and sort_order can be changed; for anything else delete the '
          'declaration, which takes the values along';
  end if;
  return null;
end
$function$;

revoke execute on function staffbook.guard_field() from public;

comment on function staffbook.guard_field() is
  'Trigger: values go with their declaration, and what it says of them does not change below them';
