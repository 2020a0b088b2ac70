/** The privileges of a database role. */
interface RoleGrants {
  readonly functions: string;
  /** Privileges by table, sequence or schema, with columns in parentheses. */
  readonly others: Readonly<Record<string, string>>;
}

/**
 * Every grant of the service's roles and of PUBLIC. Grants of baseline.sql are repeated here, so that a
 * reviewer notices changes.
 */
export const GRANTS: Readonly<Record<string, RoleGrants>> = {
  einvoice_app: {
    functions:
      'accept_request change_password charge_credits claim_bulk_job confirm_access count_attempt find_caller_key find_invitation find_outages find_password find_session forgive_attempt found_at_authority_since grant_sandbox_credits has_recovered lock_proven_user oldest_queued_seconds organisations_of read_for_cancel read_for_submit read_submission_status refuse_attempt rename_user request_verification similar_numbers store_cancellation store_submission stored_documents sweep_expired_lots take_authority_share touch_session use_password_link waits_for_recovery_since',
    others: {
      api_key: 'SELECT, INSERT, UPDATE (expires_at, last_used_at, name, replaced_by, revoked_at)',
      appointment_check: 'SELECT, INSERT, UPDATE',
      audit_entry: 'SELECT, INSERT',
      authority_document: 'SELECT',
      authority_submission: 'SELECT',
      authority_token: 'SELECT, INSERT, UPDATE, DELETE',
      bulk_job:
        'SELECT, INSERT, UPDATE (due_at, ended_at, lease_owner, pause_reason, started_at, status, user_id), DELETE',
      bulk_job_item: 'SELECT, INSERT, UPDATE (body, credits, problems, result_id, state, tries)',
      buyer: 'SELECT, INSERT',
      buyer_word: 'SELECT, INSERT',
      call_budget: 'SELECT, INSERT, UPDATE',
      credit_account: 'SELECT, UPDATE (balance, entry_sequence)',
      credit_entry: 'SELECT, INSERT',
      credit_lot: 'SELECT, UPDATE (remaining)',
      credit_order: 'SELECT, INSERT, UPDATE (decided_at, decided_by, status)',
      document: 'SELECT, INSERT, UPDATE (attempts, document_date, payable_sen, transaction_id)',
      document_cancellation: 'SELECT, INSERT',
      document_event_id: 'USAGE',
      document_transaction: 'SELECT, INSERT',
      event_consumer: 'SELECT',
      event_delivery: 'SELECT, INSERT',
      failed_document: 'SELECT, UPDATE (dismissal_reason, dismissed_at, dismissed_by)',
      idempotency_record: 'SELECT, INSERT',
      invitation: 'SELECT, INSERT, UPDATE (accepted_at, revoked_at)',
      membership: 'SELECT, INSERT, UPDATE (role), DELETE',
      password_link: 'SELECT (digest, expires_at, user_id), DELETE',
      rate_limit_window: 'SELECT, INSERT, UPDATE (started_at, total)',
      'schema public': 'USAGE',
      schema_migration: 'SELECT',
      service_clock: 'SELECT',
      service_process: 'SELECT, INSERT, UPDATE, DELETE',
      sign_in_throttle: 'SELECT, DELETE',
      status_event: 'SELECT',
      submission_batch: 'SELECT, INSERT',
      taxpayer_check: 'SELECT, INSERT, UPDATE (checked_at, expires_at, valid)',
      taxpayer_verification: 'SELECT',
      tenant: 'SELECT, INSERT, UPDATE',
      tenant_queue: 'SELECT, INSERT',
      tenant_rate_limit: 'SELECT',
      user_account:
        'SELECT (created_at, disabled_at, email, id, is_operator, name), INSERT (created_at, email, id, name, password_hash)',
      user_session: 'SELECT, INSERT, DELETE',
    },
  },
  einvoice_dispatcher: {
    functions:
      'audit_credits count_low_credits found_at_authority_since is_built_as is_known_server limit_stored_waits oldest_queued_seconds recognise_server taken_instants waits_for_recovery_since',
    others: {
      authority_clock: 'SELECT, INSERT, DELETE',
      authority_document: 'SELECT, INSERT, UPDATE',
      authority_submission: 'SELECT, INSERT, UPDATE',
      authority_token: 'SELECT, INSERT, UPDATE, DELETE',
      call_budget: 'SELECT, INSERT, UPDATE',
      database_server: 'SELECT',
      document: 'SELECT',
      document_cancellation: 'SELECT, UPDATE',
      document_event_id: 'USAGE',
      document_transaction: 'SELECT, UPDATE',
      event_consumer: 'SELECT, INSERT',
      event_delivery: 'SELECT, INSERT, UPDATE, DELETE',
      found_document: 'SELECT, UPDATE (authority_status, state)',
      housekeeping_task: 'SELECT, INSERT, UPDATE',
      idempotency_record: 'SELECT, DELETE',
      rate_limit_window: 'SELECT (bucket, started_at), DELETE',
      recovery: 'SELECT',
      recovery_tenant: 'SELECT',
      'schema public': 'USAGE',
      schema_migration: 'SELECT',
      service_clock: 'SELECT',
      service_process: 'SELECT, INSERT, UPDATE, DELETE',
      sign_in_throttle: 'SELECT, DELETE',
      status_event: 'SELECT, INSERT',
      submission_batch: 'SELECT',
      taxpayer_check: 'SELECT, DELETE',
      tenant: 'SELECT',
      tenant_queue: 'SELECT, INSERT, UPDATE',
      user_session: 'SELECT (expires_at, id), DELETE',
    },
  },
  einvoice_operator: {
    functions:
      'confirm_access decide_verification find_outages is_built_as oldest_queued_seconds sweep_expired_lots waits_for_recovery_since',
    others: {
      appointment_check: 'SELECT',
      audit_entry: 'SELECT, INSERT',
      authority_clock: 'SELECT',
      authority_document:
        'SELECT (document_type, environment, issued_at, reference_id, supplier_tin, tenant_id, transaction_id), UPDATE (may_have_arrived, response_lost)',
      authority_submission:
        'SELECT, INSERT, UPDATE (client_id, due_at, failure, missing_since, polls, state, submission_uid, updated_at)',
      authority_token:
        'SELECT (client_id, environment, expires_at, login_owner, login_until, tenant_id), UPDATE (login_until)',
      call_budget: 'SELECT',
      credit_account: 'SELECT, INSERT, UPDATE (balance, entry_sequence)',
      credit_entry: 'INSERT',
      credit_lot: 'SELECT, INSERT, UPDATE (remaining)',
      credit_order: 'SELECT, UPDATE (decided_at, decided_by, lot_id, reason, status)',
      document_cancellation:
        'SELECT (created_at, environment, id, status, tenant_id, transaction_id), UPDATE (errors, owner, status, updated_at)',
      document_event_id: 'USAGE',
      document_transaction:
        'SELECT (attempt, authority_long_id, authority_status, authority_submission_id, authority_uuid, call_size_max, cancelled_at, created_at, document_id, document_type, due_at, environment, errors, held_until, id, issued_at, on_behalf_of, position, reference_id, refusals, rejection_requested_at, submission_batch_id, submission_status, submitted_at, tenant_id, updated_at, uuid_confirmed, validated_at, version), UPDATE (authority_long_id, authority_status, authority_submission_id, authority_uuid, call_size_max, cancelled_at, due_at, errors, issued_at, refusals, rejection_requested_at, submission_status, submitted_at, updated_at, uuid_confirmed, validated_at, version)',
      event_consumer: 'SELECT',
      event_delivery:
        'SELECT (attempts, consumer, dead_at, document_id, error, event_id, tenant_id, transaction_id), INSERT, UPDATE (attempts, dead_at, due_at)',
      housekeeping_task: 'SELECT',
      membership: 'SELECT (tenant_id, user_id)',
      'schema public': 'USAGE',
      service_clock: 'SELECT',
      status_event: 'INSERT',
      submission_batch: 'SELECT (created_at, document_count, id, tenant_id)',
      taxpayer_verification: 'SELECT',
      tenant: 'SELECT',
      tenant_queue: 'SELECT, UPDATE (failures, floor_due_at, waiting_code, waiting_since, waiting_until)',
      tenant_rate_limit: 'SELECT, INSERT, UPDATE (requests_per_minute, submits_per_minute, tin_checks_per_minute)',
      user_account: 'SELECT (email, id, name)',
    },
  },
  PUBLIC: {
    functions: 'deliver_acceptance deliver_cancellation deliver_status_change refuse_change service_now',
    others: {
      database: 'CONNECT, TEMPORARY',
    },
  },
};
