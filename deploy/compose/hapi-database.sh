#!/bin/sh
# Runs once, when the database is created: HAPI has a database and an account of its own.
set -eu
psql --username "$POSTGRES_USER" --dbname postgres --set password="$POSTGRES_PASSWORD" <<'SQL'
CREATE ROLE hapi LOGIN PASSWORD :'password';
CREATE DATABASE hapi OWNER hapi;
REVOKE CONNECT ON DATABASE gatehouse FROM PUBLIC;
SQL
