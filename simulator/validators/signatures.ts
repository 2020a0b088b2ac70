import { checkSignature } from '../checks/signature.js';
import { findErrorText } from '../error-texts.js';
import { type ContentValidator, toPropertyPath } from './validator.js';

/** Of an ordinary document and of a voluntary disclosure; the versions 1.0 and 1.2 are the same without a signature. */
const signedVersions = ['1.1', '1.3'];

export const validateSignatures: ContentValidator = ({ document, invoice }, settings) => {
  if (!signedVersions.includes(document.version)) return [];
  const path = toPropertyPath('UBLExtensions.UBLExtension.ExtensionContent');
  return checkSignature(document.raw, invoice, settings).map((code) => {
    return { code, message: findErrorText(code).text, path };
  });
};
