-- The directory itself: departments, users, and who belongs where.
--
-- An id is its bytes: columns that hold ids have the collation "C". The limits are those of
-- DirectoryLimits in the program; a test compares them.

comment on schema staffbook is 'Staffbook: a company''s address book';

-- Whether a text holds at least one character that leaves a mark on the page. The ranges are
-- those of DirectoryLimits.invisible. Dollar quotes, since the body is read again by every
-- session, also by one with standard_conforming_strings off.
create function staffbook.is_visible(value text) returns boolean
language sql immutable parallel safe
as $function$
  select value operator(pg_catalog.~) $re$[^\u0001-\u0020\u007F-\u00A0\u00AD\u034F\u061C\u115F-\u1160\u1680\u17B4-\u17B5\u180B-\u180F\u2000-\u200F\u2028-\u202F\u205F-\u206F\u2800\u3000\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFFB\U000E0000-\U000E0FFF]$re$
$function$;

comment on function staffbook.is_visible(text) is
  'Whether the text holds a character other than blanks, controls, fillers and format characters';

create table staffbook.departments (
  id text collate "C" not null,
  parent_id text collate "C",
  name text not null,
  description text not null default '',
  sort_order bigint not null default 0,
  changed_in xid8 not null,
  constraint departments_pkey primary key (id),
  constraint departments_parent_fkey foreign key (parent_id)
    references staffbook.departments (id) on update cascade,
  constraint departments_id_length check (octet_length(id) between 1 and 255),
  constraint departments_name_length check (char_length(name) between 1 and 1000),
  constraint departments_name_visible check (staffbook.is_visible(name)),
  constraint departments_description_length check (char_length(description) <= 10000)
);

create table staffbook.users (
  id text collate "C" not null,
  name text not null,
  email text not null default '',
  phone text not null default '',
  primary_department_id text collate "C" not null,
  changed_in xid8 not null,
  constraint users_pkey primary key (id),
  constraint users_id_length check (octet_length(id) between 1 and 255),
  constraint users_name_length check (char_length(name) between 1 and 1000),
  constraint users_name_visible check (staffbook.is_visible(name)),
  constraint users_email_length check (char_length(email) <= 1000),
  constraint users_phone_length check (char_length(phone) <= 1000)
);

create table staffbook.memberships (
  user_id text collate "C" not null,
  department_id text collate "C" not null,
  title text not null default '',
  sort_order bigint not null default 0,
  changed_in xid8 not null,
  constraint memberships_pkey primary key (user_id, department_id),
  constraint memberships_user_fkey foreign key (user_id)
    references staffbook.users (id) on update cascade on delete cascade,
  constraint memberships_department_fkey foreign key (department_id)
    references staffbook.departments (id) on update cascade,
  constraint memberships_title_length check (char_length(title) <= 1000)
);

-- Exactly one primary membership for each user: the user names it, and it must exist when the
-- transaction ends. A user and the membership refer to each other, so one of the two waits.
alter table staffbook.users
  add constraint users_primary_membership_fkey foreign key (id, primary_department_id)
    references staffbook.memberships (user_id, department_id) on update cascade
    deferrable initially deferred;

create index departments_parent_id on staffbook.departments (parent_id);
create index memberships_department_id on staffbook.memberships (department_id);

comment on table staffbook.departments is
  'Units of the organisation; each has one parent or is a root';
comment on column staffbook.departments.id is
  'Key, 1 to 255 bytes, compared byte for byte';
comment on column staffbook.departments.parent_id is
  'The department above; null for a root';
comment on column staffbook.departments.name is
  'Name, 1 to 1,000 characters with a visible one among them; need not be unique';
comment on column staffbook.departments.description is
  'What the department does; up to 10,000 characters, empty when not known';
comment on column staffbook.departments.sort_order is
  'Place among siblings: smaller comes first, then the name, then the id';
comment on column staffbook.departments.changed_in is
  'Top-level transaction that last wrote the row; set by a trigger';

comment on table staffbook.users is
  'People; each belongs to departments through memberships, to one of them primarily';
comment on column staffbook.users.id is
  'Key, 1 to 255 bytes, compared byte for byte';
comment on column staffbook.users.name is
  'Name, 1 to 1,000 characters with a visible one among them; need not be unique';
comment on column staffbook.users.email is
  'Email address as given, up to 1,000 characters; empty when not known';
comment on column staffbook.users.phone is
  'Phone number as given, up to 1,000 characters; empty when not known';
comment on column staffbook.users.primary_department_id is
  'Department of the one primary membership, which must exist when the transaction ends';
comment on column staffbook.users.changed_in is
  'Top-level transaction that last wrote the row; set by a trigger';

comment on table staffbook.memberships is
  'Who belongs to which department, the primary memberships included';
comment on column staffbook.memberships.user_id is
  'The user; deleted with it';
comment on column staffbook.memberships.department_id is
  'The department';
comment on column staffbook.memberships.title is
  'What the user does in this department, up to 1,000 characters; empty when not known';
comment on column staffbook.memberships.sort_order is
  'Place among the department''s people: smaller comes first, then the name, then the id';
comment on column staffbook.memberships.changed_in is
  'Top-level transaction that last wrote the row; set by a trigger';
