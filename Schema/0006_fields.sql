-- Fields beyond the built-in ones: what a company keeps about its people and departments.
--
-- A field is declared once, in staffbook.fields; its values stand with the record, in one object
-- from the field's name to a text, or to a list of texts where the field has several values. A
-- column for each field would need the right to alter tables; a row for each value would treble
-- rows, marks and tombstones.

create table staffbook.fields (
  of text collate "C" not null,
  name text collate "C" not null,
  kind text collate "C" not null default 'text',
  label text not null,
  is_multiple boolean not null default false,
  is_searched boolean not null default true,
  sort_order bigint not null default 0,
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

-- Constant defaults leave the rows as they are, and unmarked. Values are never empty, and all of
-- them together have at most DirectoryLimits.fieldBytes bytes as PostgreSQL writes them.
alter table staffbook.users
  add column fields jsonb not null default '{}',
  add constraint users_fields_shape check (fields = '{}' or
    jsonb_typeof(fields) = 'object' and octet_length(fields::text) <= 65536
    and not fields @? 'strict $.* ? (@.type() != "string" && @.type() != "array"
      || @ == "" || @.type() == "array" && @.size() == 0)'
    and not fields @? 'strict $.* ? (@.type() == "array")[*] ? (@.type() != "string" || @ == "")');
alter table staffbook.departments
  add column fields jsonb not null default '{}',
  add constraint departments_fields_shape check (fields = '{}' or
    jsonb_typeof(fields) = 'object' and octet_length(fields::text) <= 65536
    and not fields @? 'strict $.* ? (@.type() != "string" && @.type() != "array"
      || @ == "" || @.type() == "array" && @.size() == 0)'
    and not fields @? 'strict $.* ? (@.type() == "array")[*] ? (@.type() != "string" || @ == "")');
alter table staffbook.memberships
  add column leads boolean not null default false;

comment on column staffbook.users.fields is
  'Values of declared fields: an object from name to a text or a list of texts, none of it empty';
comment on column staffbook.departments.fields is
  'Values of declared fields: an object from name to a text or a list of texts, none of it empty';
comment on column staffbook.memberships.leads is 'Whether the user leads the department';

create function staffbook.is_of_kind(value text, kind text) returns boolean
language sql immutable parallel safe
as $function$
  select case kind
    when 'phone' then value collate "C" ~ '[0-9٠-٩۰-۹０-９]'
    when 'email' then value collate "C" ~ '^\S+@\S+$'
    when 'url' then value collate "C" ~ '^[A-Za-z][A-Za-z0-9+.-]*:\S+$'
    when 'date' then value collate "C" ~
        '^(\d{4}|-)-((0[13578]|1[02])-(0[1-9]|[12]\d|3[01])|(0[469]|11)-(0[1-9]|[12]\d|30)|02-(0[1-9]|[12]\d))$'
      and (value collate "C" !~ '^\d{4}-02-29$'
        or substr(value, 1, 4)::int % 4 = 0
          and (substr(value, 1, 4)::int % 100 <> 0 or substr(value, 1, 4)::int % 400 = 0))
    else true end
$function$;

comment on function staffbook.is_of_kind(text, text) is
  'Whether a text can be a value of a field of that kind; a person is looked up elsewhere';

-- The values of a field, one or several.
create function staffbook.field_values(value jsonb) returns setof text
language sql immutable parallel safe rows 1
as $function$
  select pg_catalog.jsonb_array_elements_text(
    case when pg_catalog.jsonb_typeof(value) = 'array' then value
      else pg_catalog.jsonb_build_array(value) end)
$function$;

comment on function staffbook.field_values(jsonb) is
  'The values of a field as rows, whether it has one or several';

-- For a statement and not for each row: a million rows are checked in one query, planned for as
-- many rows as there are, since a plan made for one row would be quadratic. The lock makes whoever
-- removes a declaration at this moment wait for this transaction, or this one for it.
create function staffbook.check_fields() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set jit = off
set plan_cache_mode = force_custom_plan
as $function$
declare
  subject constant text := tg_argv[0];
  wrong record;
begin
  if not exists (select from new_rows n where n.fields <> '{}') then return null; end if;
  perform from staffbook.fields f where f.of = subject for key share;
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

comment on function staffbook.check_fields() is
  'Trigger: refuses values of fields that are not declared, or not of the declared kind';

create trigger check_fields_after_insert after insert on staffbook.users
  referencing new table as new_rows
  for each statement execute function staffbook.check_fields('user');
create trigger check_fields_after_update after update on staffbook.users
  referencing new table as new_rows
  for each statement execute function staffbook.check_fields('user');
create trigger check_fields_after_insert after insert on staffbook.departments
  referencing new table as new_rows
  for each statement execute function staffbook.check_fields('department');
create trigger check_fields_after_update after update on staffbook.departments
  referencing new table as new_rows
  for each statement execute function staffbook.check_fields('department');
alter table staffbook.departments
  enable always trigger check_fields_after_insert,
  enable always trigger check_fields_after_update;

-- Replaces people in all fields of that kind, at once, so that no check sees half of it; null
-- takes them out. Reads the records once; without any such field it costs nothing. Who stands in
-- none of a record's fields is told by a look that would be quadratic for many people.
create function staffbook.replace_people(former text[], latter text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp set jit = off
as $function$
declare
  subject text;
begin
  for subject in
    select distinct f.of from staffbook.fields f where f.kind = 'person' order by 1
  loop
    execute format($sql$
      with hit as (
        select t.id, f.name, f.is_multiple,
            jsonb_agg(case when gone.id is null then v.id else $2 end order by v.place)
              filter (where gone.id is null or $2 is not null) as rest
          from staffbook.%1$I t
            join staffbook.fields f on f.of = %2$L and f.kind = 'person' and t.fields ? f.name
              and (cardinality($1) > 20 or t.fields -> f.name ?| $1)
            cross join lateral staffbook.field_values(t.fields -> f.name)
              with ordinality v(id, place)
            left join (select distinct g.id from unnest($1) g(id)) gone on gone.id = v.id
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
      using former, latter;
  end loop;
end
$function$;

revoke execute on function staffbook.replace_people(text[], text) from public;

comment on function staffbook.replace_people(text[], text) is
  'Replaces users in fields of the kind person; null takes them out';

create function staffbook.follow_people() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $function$
begin
  if not exists (select from staffbook.fields f where f.kind = 'person') then return null; end if;
  if tg_op = 'DELETE' then
    perform staffbook.replace_people((select array_agg(o.id) from old_rows o), null);
  else
    perform staffbook.replace_people(array[old.id], new.id);
  end if;
  return null;
end
$function$;

comment on function staffbook.follow_people() is
  'Trigger: fields that name a user go along when the user is deleted or gets another id';

-- By their names these run before the checks of the same statement and after foreign keys.
create trigger a_forget_people after delete on staffbook.users
  referencing old table as old_rows
  for each statement execute function staffbook.follow_people();
create trigger a_follow_renamed after update on staffbook.users
  for each row when (old.id is distinct from new.id)
  execute function staffbook.follow_people();
alter table staffbook.users
  enable always trigger check_fields_after_insert,
  enable always trigger check_fields_after_update,
  enable always trigger a_forget_people,
  enable always trigger a_follow_renamed;

-- What a declaration says of values holds for those that are there.
create function staffbook.guard_field() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $function$
declare
  found boolean;
begin
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

comment on function staffbook.guard_field() is
  'Trigger: values go with their declaration, and what it says of them does not change below them';

create trigger drop_values after delete on staffbook.fields
  for each row execute function staffbook.guard_field();
create trigger keep_values after update on staffbook.fields
  for each row when ((old.of, old.name, old.kind, old.is_multiple)
    is distinct from (new.of, new.name, new.kind, new.is_multiple))
  execute function staffbook.guard_field();
create trigger refuse_truncate before truncate on staffbook.fields
  for each statement execute function staffbook.guard_field();

-- A reader's proof that it has seen everything covers the declarations too.
create trigger enter_in_ledger after insert or update or delete on staffbook.fields
  for each statement execute function staffbook.enter_in_ledger();
create trigger enter_replicated_in_ledger after insert or update or delete on staffbook.fields
  for each row execute function staffbook.enter_in_ledger();
alter table staffbook.fields
  enable always trigger drop_values,
  enable always trigger keep_values,
  enable always trigger refuse_truncate,
  enable always trigger enter_in_ledger,
  enable replica trigger enter_replicated_in_ledger;
