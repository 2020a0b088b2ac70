import { checkSignature } from '../checks/signature.js';
import type { StoredDocument, ValidationFinding } from '../documents.js';
import { findErrorText } from '../error-texts.js';
import { type ContentValidator, toPropertyPath } from './validator.js';

/** Of an ordinary document and of a voluntary disclosure; the versions 1.0 and 1.2 are the same without a signature. */
const signedVersions = ['1.1', '1.3'];

// The authority has published no code for it.
const appointmentCode = 'SIM-APPOINTMENT';

export const validateSignatures: ContentValidator = ({ document, invoice }, settings) => {
  if (!signedVersions.includes(document.version)) return [];
  const path = toPropertyPath('UBLExtensions.UBLExtension.ExtensionContent');
  const findings = checkSignature(document.raw, invoice, settings).map((code) => {
    return { code, message: findErrorText(code).text, path };
  });
  return [...findings, ...checkAppointment(document)];
};

/** Issue times have whole seconds. */
function checkAppointment({ issuedAt, appointedSince }: StoredDocument): ValidationFinding[] {
  if (appointedSince === undefined || issuedAt + 1_000 > appointedSince) return [];
  const message = 'The intermediary was not appointed by the taxpayer at the issue date and time';
  return [{ code: appointmentCode, message, path: toPropertyPath('IssueTime') }];
}
