-- Lists that are imported again and again: which records each of them brought, under which ids it has
-- them, and what it said of them last, so that an edit that was made here is told from a change of
-- the list. Values are kept as hashes: nothing here says more of a person than the ids.
--
-- May be run again.

set local client_min_messages = warning;

create table if not exists staffbook.sources (
  name text collate "C" not null,
  fields text[] collate "C" not null,
  constraint sources_pkey primary key (name),
  constraint sources_name check (char_length(name) between 1 and 100)
);

comment on table staffbook.sources is 'Lists that are imported again and again';
comment on column staffbook.sources.name is 'What mappings and jobs call the list';
comment on column staffbook.sources.fields is 'Names of the values of people that the list has';

create table if not exists staffbook.source_records (
  source text collate "C" not null,
  kind text collate "C" not null,
  id text collate "C" not null,
  alias text collate "C" not null,
  is_owner boolean not null,
  hashes jsonb not null default '{}',
  places text[] collate "C" not null default '{}',
  left_at timestamptz,
  brought_at timestamptz not null default transaction_timestamp(),
  formers text[] collate "C" not null default '{}',
  constraint source_records_pkey primary key (source, kind, id),
  constraint source_records_source foreign key (source) references staffbook.sources (name)
    on update cascade on delete cascade,
  constraint source_records_kind check (kind in ('department', 'user')),
  constraint source_records_ids check (
    octet_length(id) between 1 and 255 and octet_length(alias) between 1 and 255)
);

create index if not exists source_records_id on staffbook.source_records (kind, id);
create index if not exists source_records_formers on staffbook.source_records (id)
  where formers <> '{}';

comment on table staffbook.source_records is
  'Records that a list has; they stay when the record is removed, for people who come back';
comment on column staffbook.source_records.source is 'The list';
comment on column staffbook.source_records.kind is 'department or user';
comment on column staffbook.source_records.id is 'Id of the record';
comment on column staffbook.source_records.alias is 'Id that the list has for it';
comment on column staffbook.source_records.is_owner is
  'Whether the list brought it, so that it leaves with the list';
comment on column staffbook.source_records.hashes is
  'What the list said last: hashtextextended() of each value, by name';
comment on column staffbook.source_records.places is
  'Of a user, the departments that the list said last';
comment on column staffbook.source_records.left_at is
  'Since when a user is kept as a former one';
comment on column staffbook.source_records.brought_at is
  'When the transaction began in which the list brought it';
comment on column staffbook.source_records.formers is
  'Of a user who was merged with others, the ids that the list''s record had before, oldest first';

create table if not exists staffbook.source_files (
  source text collate "C" not null,
  digest text collate "C" not null,
  name text not null,
  imported_at timestamptz not null default transaction_timestamp(),
  constraint source_files_pkey primary key (source, imported_at),
  constraint source_files_source foreign key (source) references staffbook.sources (name)
    on update cascade on delete cascade
);

comment on table staffbook.source_files is 'Files that were imported from a list';
comment on column staffbook.source_files.source is 'The list';
comment on column staffbook.source_files.digest is 'XXH64 of the files and their mapping';
comment on column staffbook.source_files.name is 'Names of the files, as they were given';
comment on column staffbook.source_files.imported_at is 'When the transaction of the import began';

-- People who come back are looked for among those who were removed.
create index if not exists changes_removed on staffbook.changes (key1)
  where kind = 'user' and after is null;

create or replace function staffbook.follow_in_sources() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $function$
declare
  subject text;
begin
  subject := case tg_relid when 'staffbook.departments'::regclass then 'department'
    when 'staffbook.users'::regclass then 'user' end;
  if subject is null then
    if tg_relid <> 'staffbook.changes'::regclass then
      raise insufficient_privilege
        using message = 'follow_in_sources() belongs to the tables of records and history of staffbook';
    end if;
    -- Whoever is forgotten and not there any more is not known by a list's id either.
    delete from staffbook.source_records r
      where r.kind = 'user' and r.id = old.key1
        and not exists (select from staffbook.users u where u.id = old.key1);
    update staffbook.source_records r set formers = array_remove(r.formers, old.key1)
      where r.formers <> '{}' and old.key1 = any (r.formers);
    return null;
  end if;
  delete from staffbook.source_records r
    where r.kind = subject and r.id = new.id and exists (
      select from staffbook.source_records o
        where o.source = r.source and o.kind = subject and o.id = old.id);
  update staffbook.source_records r set id = new.id where r.kind = subject and r.id = old.id;
  if subject = 'department' then
    update staffbook.source_records r set places = array_replace(r.places, old.id, new.id)
      where old.id = any (r.places);
  end if;
  return null;
end
$function$;

revoke execute on function staffbook.follow_in_sources() from public;

comment on function staffbook.follow_in_sources() is
  'Trigger: what lists have follows a department or user to another id, and forgets who is forgotten';

do $block$
declare
  one record;
  former constant text := staffbook.layout();
begin
  for one in
    select w.* from (values
      ('departments', 'after update on %s for each row when (old.id is distinct from new.id)
        execute function staffbook.follow_in_sources()'),
      ('users', 'after update on %s for each row when (old.id is distinct from new.id)
        execute function staffbook.follow_in_sources()'),
      ('changes', 'after update on %s for each row
        when (new.is_forgotten and not old.is_forgotten and old.kind = ''user'')
        execute function staffbook.follow_in_sources()')
    ) w(relation, definition)
    where not exists (select from pg_catalog.pg_trigger p where p.tgname = 'follow_in_sources'
      and p.tgrelid = ('staffbook.' || w.relation)::regclass and p.tgenabled = 'A')
  loop
    execute format('drop trigger if exists follow_in_sources on staffbook.%I', one.relation);
    execute 'create trigger follow_in_sources '
      || format(one.definition, 'staffbook.' || one.relation);
    execute format('alter table staffbook.%I enable always trigger follow_in_sources', one.relation);
  end loop;
  update staffbook.history h set layout = staffbook.layout() where h.layout = former;
end
$block$;

create or replace function staffbook.grant_editor() returns boolean
language plpgsql set search_path = pg_catalog, pg_temp
as $function$
begin
  if not staffbook.grant_reading('staffbook_editor') then return false; end if;
  if not has_database_privilege('staffbook_editor', current_database(), 'temporary') then
    execute format('grant temporary on database %I to staffbook_editor', current_database());
  end if;
  grant insert, update, delete
    on staffbook.departments, staffbook.users, staffbook.memberships, staffbook.sources,
      staffbook.source_records, staffbook.source_files to staffbook_editor;
  revoke insert on staffbook.accepted_deletions from staffbook_editor;
  grant insert (departments, users, memberships) on staffbook.accepted_deletions
    to staffbook_editor;
  revoke execute on function staffbook.unrecorded_changes(), staffbook.prune(bigint)
    from staffbook_editor;
  grant execute on function staffbook.prune_tracking(), staffbook.prune_history(),
    staffbook.catch_up_history() to staffbook_editor;
  return true;
end
$function$;

do $block$
begin
  perform staffbook.grant_reader(), staffbook.grant_editor(), staffbook.grant_historian(),
    staffbook.grant_admin();
end
$block$;
