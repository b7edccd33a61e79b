-- People who use the console. API keys are for programs; these are for humans.
create table people (
  id uuid primary key,
  -- As the person wrote it. People are found by it in lower case.
  email text not null,
  name text not null,
  -- argon2id in its usual text form ($argon2id$…); null for people who sign in with OpenID Connect only.
  password_hash text,
  -- Operators run the installation and are admins of every project.
  is_operator boolean not null default false,
  created_at timestamptz not null,
  last_signed_in_at timestamptz,
  -- A disabled person cannot sign in, and their sessions and tokens stop working at once.
  disabled_at timestamptz,
  -- The project whose admin invited the person, while nobody else has vouched for the address: that admin may have opened
  -- the link, so the person gets no power elsewhere. Null once an operator gives a link or the identity provider confirms
  -- the address.
  invited_by_project_id uuid
);
create unique index people_by_email on people (lower(email));
create index people_by_inviter on people (invited_by_project_id) where invited_by_project_id is not null;

-- How an identity provider names a person. Only this pair is trusted; the e-mail address of a provider may change.
create table person_identities (
  issuer text not null,
  subject text not null,
  person_id uuid not null references people on delete cascade,
  primary key (issuer, subject)
);
create index person_identities_by_person on person_identities (person_id);

create table project_members (
  project_id uuid not null references projects on delete cascade,
  person_id uuid not null references people on delete cascade,
  role text not null check (role in ('admin', 'developer', 'viewer')),
  -- Whether the groups of the identity provider gave the role. Such a row follows them at each sign-in.
  is_from_groups boolean not null default false,
  created_at timestamptz not null,
  primary key (project_id, person_id)
);
create index project_members_by_person on project_members (person_id);

create table console_sessions (
  id uuid primary key,
  person_id uuid not null references people on delete cascade,
  -- Of the random value in the cookie.
  sha256 bytea not null unique,
  -- password, openid or development.
  method text not null,
  created_at timestamptz not null,
  -- When the person last proved who they are; keys, deletions and drains need a recent proof.
  signed_in_at timestamptz not null,
  last_used_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  address text,
  user_agent text
);
create index console_sessions_by_person on console_sessions (person_id, id);
create index console_sessions_by_expiry on console_sessions (expires_at);

-- One-time links: the first operator's, and those that set a password. Only hashes are stored.
create table sign_in_tokens (
  sha256 bytea primary key,
  -- Null for the token that makes the first operator.
  person_id uuid references people on delete cascade,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index sign_in_tokens_by_person on sign_in_tokens (person_id);

-- A row with a person is what that person is in this project and mode to everything that knows keys: rate limits, usage,
-- the owner of a task. It has no secret: its hash is of random bytes that were never written down.
alter table api_keys add column person_id uuid;
create unique index api_keys_by_person on api_keys (person_id, project_id, livemode) where person_id is not null;

alter table audit_events add column person_id uuid;

-- For the board of engines: since when an endpoint has been accepting jobs or not, and since when a slot has been idle.
alter table endpoint_states add column status_since timestamptz;
alter table leases add column freed_at timestamptz;
