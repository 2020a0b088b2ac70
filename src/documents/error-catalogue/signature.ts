import { type AuthorityErrorEntry, WHOLE_DOCUMENT } from './authority-error.js';

const REPORT_SIGNING =
  'This service could not sign the document correctly. Report this error to its operator. Submit the document again after the operator has fixed the signing.';
const RENEW_CERTIFICATE =
  'Ask the operator of this service to install a valid certificate from a licensed certification authority, then submit again.';
const MATCH_CERTIFICATE =
  'Ask the operator of this service to install the certificate of the submitting taxpayer, then submit again.';

/**
 * Errors of signatures (authority protocol 13.6). Only the operator can fix them, because the service signs with its
 * own certificate.
 */
export const SIGNATURE_ERRORS: readonly AuthorityErrorEntry[] = [
  row('DS300', 'signature_document_unreadable', 'The authority could not read the signed document.', REPORT_SIGNING),
  row('DS301', 'signature_missing', 'The document has no signature.', REPORT_SIGNING),
  row('DS302', 'signature_count_invalid', 'The document does not have exactly one signature.', REPORT_SIGNING),
  row('DS303', 'signing_time_missing', 'The signature has no signing time.', REPORT_SIGNING),
  row(
    'DS304',
    'signing_time_outside_certificate',
    "The document was signed outside the certificate's validity period.",
    RENEW_CERTIFICATE,
  ),
  row('DS305', 'certificate_invalid', 'The signing certificate is not valid.', RENEW_CERTIFICATE),
  row(
    'DS306',
    'certificate_registration_missing',
    'The certificate contains no registration number.',
    RENEW_CERTIFICATE,
  ),
  row('DS307', 'certificate_tin_missing', 'The certificate contains no TIN of its organisation.', RENEW_CERTIFICATE),
  row('DS308', 'certificate_for_other_channel', 'The certificate is not for this channel.', RENEW_CERTIFICATE),
  row(
    'DS309',
    'certificate_personal',
    'A personal certificate cannot sign documents that a system submits.',
    RENEW_CERTIFICATE,
  ),
  row('DS310', 'signer_login_mismatch', 'The signer is not the user who submitted the document.', MATCH_CERTIFICATE),
  row('DS311', 'signer_tin_mismatch', "The certificate's TIN is not the submitter's.", MATCH_CERTIFICATE),
  row(
    'DS312',
    'signer_registration_mismatch',
    "The certificate's registration number is not the submitter's.",
    MATCH_CERTIFICATE,
  ),
  row('DS313', 'certificate_digest_method_invalid', "The certificate's digest is not SHA-256.", REPORT_SIGNING),
  row('DS314', 'document_digest_method_invalid', "The document's digest is not SHA-256.", REPORT_SIGNING),
  row('DS315', 'properties_digest_method_invalid', "The properties' digest is not SHA-256.", REPORT_SIGNING),
  row('DS316', 'signature_method_invalid', 'The signature is not RSA with SHA-256.', REPORT_SIGNING),
  row('DS317', 'certificate_digest_missing', "The certificate's digest is missing.", REPORT_SIGNING),
  row('DS318', 'certificate_digest_mismatch', 'The digest does not match the certificate.', REPORT_SIGNING),
  row('DS319', 'properties_digest_missing', 'The digest of the signed properties is missing.', REPORT_SIGNING),
  row('DS320', 'properties_digest_mismatch', 'The digest of the signed properties is wrong.', REPORT_SIGNING),
  row('DS321', 'document_digest_missing', "The document's digest is missing.", REPORT_SIGNING),
  row('DS322', 'document_digest_mismatch', "The document's digest does not match its content.", REPORT_SIGNING),
  row('DS323', 'signature_kind_invalid', 'The authority does not accept this kind of signature.', REPORT_SIGNING),
  row('DS324', 'certificate_issuer_missing', "The certificate's issuer is missing.", REPORT_SIGNING),
  row('DS325', 'certificate_serial_missing', "The certificate's serial number is missing.", REPORT_SIGNING),
  row('DS326', 'certificate_issuer_mismatch', "The stated issuer is not the certificate's.", REPORT_SIGNING),
  row('DS327', 'certificate_serial_unreadable', 'The stated serial number cannot be read.', REPORT_SIGNING),
  row('DS328', 'certificate_serial_mismatch', "The stated serial number is not the certificate's.", REPORT_SIGNING),
  row('DS329', 'certificate_untrusted', "The authority does not trust the certificate's issuer.", RENEW_CERTIFICATE),
  row('DS330', 'certificate_tin_unknown', "The authority does not know the certificate's TIN.", MATCH_CERTIFICATE),
  row('DS331', 'signature_document_unparsable', 'The authority could not read the signed document.', REPORT_SIGNING),
  row('DS332', 'signature_value_missing', 'The signature is empty.', REPORT_SIGNING),
  row(
    'DS333',
    'signature_value_invalid',
    'The signature does not match the document and the certificate.',
    REPORT_SIGNING,
  ),
  row(
    'DS334',
    'certificate_cannot_verify',
    'The certificate cannot be used to verify the signature.',
    RENEW_CERTIFICATE,
  ),
  row('DS335', 'signature_check_failed', 'The authority could not verify the signature.', REPORT_SIGNING),
  row('DS336', 'signing_time_invalid', 'The signing time cannot be read.', REPORT_SIGNING),
  row(
    'DS337',
    'certificate_registration_unreadable',
    "The certificate's registration number cannot be read.",
    RENEW_CERTIFICATE,
  ),
  row('DS338', 'certificate_tin_unreadable', 'The TIN in the certificate cannot be read.', RENEW_CERTIFICATE),
];

function row(authorityCode: string, code: string, meaning: string, action: string): AuthorityErrorEntry {
  return { authorityCode, code, meaning, action, actor: 'operator', resubmit: true, fieldPath: WHOLE_DOCUMENT };
}
