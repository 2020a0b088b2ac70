import { validateCodes } from './codes.js';
import { validateCurrencies } from './currencies.js';
import { validateDuplicates } from './duplicates.js';
import { validateReferences } from './references.js';
import { validateSignatures } from './signatures.js';
import { validateTaxpayers } from './taxpayers.js';
import { validateTotals } from './totals.js';
import type { ArchiveValidator, ContentValidator } from './validator.js';

export interface ValidationStep {
  number: number;
  name: string;
  malayName: string;
  /** A step without either validator always passes, because its checks run before the document is accepted. */
  validateContent?: ContentValidator;
  validateAmongOthers?: ArchiveValidator;
}

/** The authority's validation steps in order. The names of steps 2 and 7 and most Malay names are not public. */
export const validationSteps: readonly ValidationStep[] = [
  { number: 1, name: 'Standard Validator', malayName: 'Pengesah Standard' },
  { number: 2, name: 'Core Fields Validator', malayName: 'Pengesah Medan Teras' },
  {
    number: 3,
    name: 'Duplicated Submission Validator',
    malayName: 'Pengesah Penyerahan Berganda',
    validateAmongOthers: validateDuplicates,
  },
  { number: 4, name: 'Code Field Validator', malayName: 'Pengesah Medan Kod', validateContent: validateCodes },
  {
    number: 5,
    name: 'Taxpayer Profile Validator',
    malayName: 'Pengesah Profil Pembayar Cukai',
    validateContent: validateTaxpayers,
  },
  {
    number: 6,
    name: 'Document References Validator',
    malayName: 'Pengesah Rujukan Dokumen',
    validateAmongOthers: validateReferences,
  },
  {
    number: 7,
    name: 'Currency Validator',
    malayName: 'Pengesah Mata Wang',
    validateContent: (subject, settings) => [
      ...validateCurrencies(subject, settings),
      ...validateTotals(subject, settings),
    ],
  },
  {
    number: 8,
    name: 'Document Signature Validator',
    malayName: 'Pengesah Tandatangan Dokumen',
    validateContent: validateSignatures,
  },
];
