-- Lists that are imported again and again: which records each of them brought, under which ids it has
-- them, and what it said of them last, so that an edit that was made here is told from a change of
-- the list. Values are kept as hashes: nothing here says more of a person than the ids.
--
-- All this is for those who import: hashes are without a salt, so that short values can be guessed, and
-- whoever is kept from a record by row-level security would read of it here.

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
  identity uuid,
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
comment on column staffbook.source_records.identity is
  'Which record it is, also once it was removed; null where that is not known';

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

create or replace function staffbook.follow_in_sources() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $function$
declare
  subject text;
begin
  if tg_relid = 'staffbook.source_records'::regclass then
    new.identity := case new.kind
      when 'user' then (select u.identity from staffbook.users u where u.id = new.id)
      else (select d.identity from staffbook.departments d where d.id = new.id) end;
    return new;
  end if;
  subject := case tg_relid when 'staffbook.departments'::regclass then 'department'
    when 'staffbook.users'::regclass then 'user' end;
  if subject is null then
    if tg_relid <> 'staffbook.changes'::regclass then
      raise insufficient_privilege
        using message = 'follow_in_sources() belongs to the tables of records, history and lists of staffbook';
    end if;
    -- Whoever is forgotten and not there any more is not known by a list's id either.
    delete from staffbook.source_records r
      where r.kind = 'user' and r.id = old.key1
        and case when r.identity is null
          then not exists (select from staffbook.users u where u.id = old.key1)
          else r.identity = old.identity
            and not exists (select from staffbook.users u where u.identity = old.identity) end;
    update staffbook.source_records r set formers = array_remove(r.formers, old.key1)
      where r.formers <> '{}' and old.key1 = any (r.formers);
    return null;
  end if;
  delete from staffbook.source_records r
    where r.kind = subject and r.id = new.id and (r.identity <> new.identity or exists (
      select from staffbook.source_records o
        where o.source = r.source and o.kind = subject and o.id = old.id
          and coalesce(o.identity, new.identity) = new.identity));
  update staffbook.source_records r set id = new.id
    where r.kind = subject and r.id = old.id and coalesce(r.identity, new.identity) = new.identity;
  if subject = 'department' then
    update staffbook.source_records r set places = array_replace(r.places, old.id, new.id)
      where old.id = any (r.places);
  end if;
  return null;
end
$function$;

revoke execute on function staffbook.follow_in_sources() from public;

comment on function staffbook.follow_in_sources() is
  'Trigger: what lists have names the record that it is, follows it to another id, and forgets who is '
  'forgotten';
