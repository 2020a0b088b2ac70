-- The superuser runs this file once, when the database is created. The migrations grant the rights of the service.
\set ON_ERROR_STOP on
\getenv owner_password OWNER_PASSWORD
\getenv app_password APP_PASSWORD
\getenv dispatcher_password DISPATCHER_PASSWORD
\getenv operator_password OPERATOR_PASSWORD
CREATE ROLE einvoice_owner LOGIN NOBYPASSRLS PASSWORD :'owner_password';
CREATE ROLE einvoice_app LOGIN NOBYPASSRLS PASSWORD :'app_password';
CREATE ROLE einvoice_dispatcher LOGIN NOBYPASSRLS PASSWORD :'dispatcher_password';
CREATE ROLE einvoice_operator LOGIN NOBYPASSRLS PASSWORD :'operator_password';
CREATE DATABASE einvoice OWNER einvoice_owner ENCODING 'UTF8' TEMPLATE template0;
REVOKE CONNECT ON DATABASE einvoice FROM PUBLIC;
GRANT CONNECT ON DATABASE einvoice TO einvoice_app, einvoice_dispatcher, einvoice_operator;
