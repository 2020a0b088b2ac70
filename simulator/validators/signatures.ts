import { checkSignature } from '../checks/signature.js';
import type { StoredDocument, ValidationFinding } from '../documents.js';
import { findErrorText } from '../error-texts.js';
import { type ContentValidator, toPropertyPath } from './validator.js';

/** Signed versions of normal documents (1.1) and voluntary disclosures (1.3). Versions 1.0 and 1.2 are unsigned. */
const signedVersions = ['1.1', '1.3'];

// The authority has not published a code for this error, so the code is invented.
const appointmentCode = 'SIM-APPOINTMENT';

export const validateSignatures: ContentValidator = ({ document, invoice }, settings) => {
  if (!signedVersions.includes(document.version)) return [];
  const path = toPropertyPath('UBLExtensions.UBLExtension.ExtensionContent');
  const findings = checkSignature(document.raw, invoice, settings).map((code) => {
    return { code, message: findErrorText(code).text, path };
  });
  return [...findings, ...checkAppointment(document)];
};

/** Compares whole seconds, because issue times have no fractional part. */
function checkAppointment({ issuedAt, appointedSince }: StoredDocument): ValidationFinding[] {
  if (appointedSince === undefined || issuedAt + 1_000 > appointedSince) return [];
  const message = 'The intermediary was not appointed by the taxpayer at the issue date and time';
  return [{ code: appointmentCode, message, path: toPropertyPath('IssueTime') }];
}
