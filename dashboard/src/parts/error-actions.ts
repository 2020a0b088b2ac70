/**
 * Action that a button offers for an error:
 * - `field`: focuses the field
 * - `check_tin`: asks the authority whether TIN and id match
 * - `leave_out`: empties the field
 * - `today`: sets the date to today
 * - `class_022`: sets the classification "others"
 * - `general_public`: converts the document to a consolidated one
 * - `profile`, `getting_started`, `credits`: opens that page
 * - `same_number`: lists the documents with the same number
 * - `credit_note`: opens the credit note form
 * - `none`: no button
 */
export type ErrorAction =
  | 'field'
  | 'check_tin'
  | 'leave_out'
  | 'today'
  | 'class_022'
  | 'general_public'
  | 'profile'
  | 'getting_started'
  | 'credits'
  | 'same_number'
  | 'credit_note'
  | 'none';

/** All codes of the error catalogue and of rejected submits and cancellations, by action. */
export const CODES_BY_ACTION: Readonly<Record<ErrorAction, readonly string[]>> = {
  field: [
    'buyer_address_invalid',
    'buyer_city_missing',
    'buyer_country_missing',
    'buyer_id_required',
    'buyer_name_invalid',
    'buyer_nric_invalid',
    'buyer_phone_missing',
    'buyer_state_missing',
    'code_not_in_list',
    'contact_email_missing',
    'parent_buyer_differs',
    'parent_not_referable',
    'state_outside_malaysia',
    'state_required_in_malaysia',
  ],
  check_tin: ['buyer_id_mismatch', 'buyer_tin_invalid', 'buyer_tin_unknown'],
  leave_out: ['contact_email_invalid', 'contact_phone_invalid', 'contact_phone_length'],
  today: ['issue_time_out_of_range'],
  class_022: ['line_classification_missing'],
  general_public: [
    'general_tin_for_named_buyer',
    'general_tin_needs_classification',
    'general_tin_needs_consolidated',
    'general_tin_required',
  ],
  profile: [
    'cancellation_not_permitted',
    'submitter_not_permitted',
    'supplier_address_invalid',
    'supplier_city_missing',
    'supplier_country_missing',
    'supplier_email_invalid',
    'supplier_name_invalid',
    'supplier_phone_missing',
    'supplier_profile_incomplete',
    'supplier_state_missing',
    'supplier_tin_general',
    'supplier_tin_mismatch',
    'tourism_tax_number_invalid',
  ],
  getting_started: ['supplier_not_verified'],
  credits: ['insufficient_credits'],
  same_number: ['document_duplicate', 'duplicate_document'],
  credit_note: ['cancellation_window_closed'],
  none: [
    'active_referencing_documents',
    'amount_currency_mismatch',
    'api_key_expired',
    'api_key_invalid',
    'api_key_missing',
    'api_key_revoked',
    'api_key_wrong_environment',
    'authority_call_limit',
    'authority_failure',
    'authority_unavailable',
    'bad_request',
    'body_too_large',
    'cancellation_in_progress',
    'certificate_cannot_verify',
    'certificate_digest_method_invalid',
    'certificate_digest_mismatch',
    'certificate_digest_missing',
    'certificate_for_other_channel',
    'certificate_invalid',
    'certificate_issuer_mismatch',
    'certificate_issuer_missing',
    'certificate_personal',
    'certificate_registration_missing',
    'certificate_registration_unreadable',
    'certificate_serial_mismatch',
    'certificate_serial_missing',
    'certificate_serial_unreadable',
    'certificate_tin_missing',
    'certificate_tin_unknown',
    'certificate_tin_unreadable',
    'certificate_untrusted',
    'document_currency_missing',
    'document_digest_method_invalid',
    'document_digest_mismatch',
    'document_digest_missing',
    'document_hash_mismatch',
    'document_not_buildable',
    'document_not_found',
    'document_not_valid',
    'document_structure_invalid',
    'document_too_large',
    'errors_not_listed',
    'exchange_currency_invalid',
    'headers_too_large',
    'idempotency_key_in_progress',
    'idempotency_key_invalid',
    'idempotency_key_reused',
    'in_doubt_given_up',
    'internal_error',
    'invalid_without_reason',
    'large_body_not_processed',
    'large_body_share_exceeded',
    'malformed_json',
    'malformed_request',
    'malformed_uri',
    'method_not_allowed',
    'parent_hold_expired',
    'parent_not_valid',
    'properties_digest_method_invalid',
    'properties_digest_mismatch',
    'properties_digest_missing',
    'rate_limited',
    'request_timeout',
    'route_not_found',
    'service_unavailable',
    'signature_check_failed',
    'signature_count_invalid',
    'signature_document_unparsable',
    'signature_document_unreadable',
    'signature_kind_invalid',
    'signature_method_invalid',
    'signature_missing',
    'signature_value_invalid',
    'signature_value_missing',
    'signer_login_mismatch',
    'signer_registration_mismatch',
    'signer_tin_mismatch',
    'signing_time_invalid',
    'signing_time_missing',
    'signing_time_outside_certificate',
    'submission_argument_invalid',
    'submission_refused',
    'submission_repeated',
    'submission_structure_invalid',
    'tax_currency_mismatch',
    'too_many_concurrent_requests',
    'too_many_large_bodies',
    'unsupported_media_type',
    'uri_too_long',
    'validation_failed',
  ],
};

const ACTIONS = new Map(
  Object.entries(CODES_BY_ACTION).flatMap(([action, codes]) => codes.map((code) => [code, action as ErrorAction])),
);

export function findAction(code: string | undefined): ErrorAction {
  return (code !== undefined && ACTIONS.get(code)) || 'none';
}
