#!/bin/sh
# Runs once, when the database is created: HAPI has a database, an account and a password of its own. The account can
# connect to no other database, so that a fault of HAPI opens no account and no key of Gatehouse.
set -eu
psql --username "$POSTGRES_USER" --dbname postgres --set password="$HAPI_DATABASE_PASSWORD" <<'SQL'
CREATE ROLE hapi LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION PASSWORD :'password';
CREATE DATABASE hapi OWNER hapi;
REVOKE CONNECT ON DATABASE hapi, gatehouse, postgres, template1 FROM PUBLIC;
SQL
