const NUMBER = /^\d{1,9}(?:\.\d{1,6})?$/;
const SWITCH = /^(?:on|off)$/;
// An address of a network interface, and no name.
const INTERFACE = /^(?:\d{1,3}(?:\.\d{1,3}){3}|[\da-f:]{2,39})$/i;
const AUTHORITY_HOST = /^https:\/\/(?:preprod-)?(?:api\.|mytax\.)?myinvois\.hasil\.gov\.my\/?$/;

/**
 * Every setting, with the form that its value must have to be shown to others, as in a support bundle. Null: of this
 * one nobody but the process learns more than whether it is set. A value of another form may be a secret in the wrong
 * place, and is not shown either.
 */
export const SETTING_FORMS: Readonly<Record<string, RegExp | null>> = {
  NODE_ENV: /^(?:production|development|test)$/,
  NODE_TLS_REJECT_UNAUTHORIZED: /^[01]$/,
  PGSSLMODE: /^[a-z-]{4,11}$/,
  HOST: INTERFACE,
  PORT: NUMBER,
  TRUSTED_PROXIES: null,
  METRICS_HOST: INTERFACE,
  METRICS_PORT: NUMBER,
  RATE_LIMIT_REQUESTS_PER_MINUTE: NUMBER,
  RATE_LIMIT_SUBMITS_PER_MINUTE: NUMBER,
  RATE_LIMIT_TIN_CHECKS_PER_MINUTE: NUMBER,
  RATE_LIMIT_ADDRESS_REQUESTS_PER_MINUTE: NUMBER,
  DATABASE_URL: null,
  DATABASE_DISPATCHER_URL: null,
  DATABASE_OPERATOR_URL: null,
  DATABASE_OWNER_URL: null,
  DATABASE_POOL_SIZE: NUMBER,
  DATABASE_PREPARED_STATEMENTS: SWITCH,
  DRAIN_SECONDS: NUMBER,
  HELD_POLLS_MAX: NUMBER,
  SUPPORT_URL: null,
  SIGN_UP_SANDBOX_CREDITS: NUMBER,
  CREDIT_PACKS: /^[\d=.,\s]{1,300}$/,
  DATA_DIR: null,
  ...authorityForms('SANDBOX'),
  ...authorityForms('PRODUCTION'),
  INTERMEDIARY_TIN: null,
  INTERMEDIARY_BRN: null,
  INTERMEDIARY_NAME: null,
  SECRETS_KEY: null,
  AUTHORITY_DEADLINE_SECONDS: NUMBER,
  DISPATCH_LEASE_SECONDS: NUMBER,
  DISPATCH_QUEUED: SWITCH,
  RECONCILE_GRACE_SECONDS: NUMBER,
  RECONCILE_SECOND_LOOK_SECONDS: NUMBER,
  LOG_LEVEL: /^(?:fatal|error|warn|info|debug|trace|silent)$/,
  OTEL_EXPORTER_OTLP_ENDPOINT: null,
  OTEL_EXPORTER_OTLP_HEADERS: null,
  OTEL_TRACES_SAMPLER: /^(?:parentbased_)?(?:traceidratio|always_on|always_off)$/,
  OTEL_TRACES_SAMPLER_ARG: NUMBER,
  OTEL_SERVICE_NAME: null,
  FAILPOINT: /^[a-z_.:,]{1,200}$/,
};

function authorityForms(environment: string): Record<string, RegExp | null> {
  const prefix = `AUTHORITY_${environment}`;
  return {
    [`${prefix}_API_URL`]: AUTHORITY_HOST,
    [`${prefix}_IDENTITY_URL`]: AUTHORITY_HOST,
    [`${prefix}_PORTAL_URL`]: AUTHORITY_HOST,
    [`${prefix}_CLIENT_ID`]: null,
    [`${prefix}_CLIENT_SECRET`]: null,
    [`${prefix}_RATE_FACTOR`]: NUMBER,
    [`${prefix}_SIGNING_CERT`]: null,
    [`${prefix}_SIGNING_KEY`]: null,
  };
}
