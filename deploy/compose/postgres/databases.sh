#!/bin/sh
# Run by the image of Postgres when it makes an empty data folder: Kinora and Temporal each get a role and databases.
set -eu
psql --quiet --set ON_ERROR_STOP=1 --username postgres --dbname postgres <<'SQL'
\getenv kinora KINORA_DATABASE_PASSWORD
\getenv temporal TEMPORAL_DATABASE_PASSWORD
create role kinora login password :'kinora';
create role temporal login password :'temporal';
create database kinora owner kinora;
create database temporal owner temporal;
create database temporal_visibility owner temporal;
SQL
