import {
  findBuyer,
  generalPublicTin,
  hasOnlyConsolidatedLines,
  isSelfBilled,
  readLegalIds,
  notApplicable,
  findSupplier,
  readTin,
  type UblNode,
} from '../ubl.js';
import { type ContentValidator, toPropertyPath } from './validator.js';

const foreignBuyerTin = 'EI00000000020';
const foreignSupplierTin = 'EI00000000030';
const governmentTin = 'EI00000000040';
const generalTins = [generalPublicTin, foreignBuyerTin, foreignSupplierTin, governmentTin];
// The authority has not published codes for these two errors, so the codes are invented.
const foreignSupplierAsBuyerCode = 'ERR209';
const generalSupplierCode = 'ERR210';

/** Properties of a party and its document that the rules read. */
interface PartyIdentity {
  tin: string;
  /** `BRN`, `NRIC`, `PASSPORT` or `ARMY`. */
  scheme: string;
  id: string;
  isClass004: boolean;
  isSelfBilled: boolean;
}

interface TaxpayerRule {
  code: string;
  message: string;
  isBroken(party: PartyIdentity): boolean;
}

/** Rules for general TINs. The register of real taxpayers is not simulated. */
const buyerRules: TaxpayerRule[] = [
  {
    code: 'ERR205',
    message: 'Where general TIN is provided, NA is not allowed',
    isBroken: (buyer) => buyer.id === notApplicable && !mayHaveNoNumber(buyer),
  },
  {
    code: 'ERR206',
    message: 'Identification number mismatch or does not exist in HITS',
    isBroken: ({ tin, id }) => id === notApplicable && !generalTins.includes(tin),
  },
  {
    code: foreignSupplierAsBuyerCode,
    message: 'General TIN (030) is not applicable for a buyer',
    isBroken: ({ tin }) => tin === foreignSupplierTin,
  },
  {
    code: 'ERR228',
    message: 'General TIN (010) is not allowed for NON-consolidated e-invoice',
    isBroken: ({ tin, id, isClass004 }) => tin === generalPublicTin && id === notApplicable && !isClass004,
  },
  {
    code: 'ERR236',
    message: 'General TIN (010) with identification number NA is only for classification 004',
    isBroken: ({ tin, id, isClass004 }) => tin === generalPublicTin && id === notApplicable && !isClass004,
  },
  {
    code: 'ERR237',
    message: 'Buyer details cannot be general TIN (010) for an individual e-invoice',
    isBroken: hasWrongIdForPublic,
  },
];

const supplierRules: TaxpayerRule[] = [
  {
    code: 'ERR208',
    message: 'General TIN (020) is not applicable for foreign supplier',
    isBroken: ({ tin }) => tin === foreignBuyerTin,
  },
  {
    code: generalSupplierCode,
    message: 'General TIN is not applicable for the supplier',
    isBroken: (supplier) => {
      const { tin } = supplier;
      if (supplier.isSelfBilled) return tin === governmentTin || hasWrongIdForPublic(supplier);
      return tin !== foreignBuyerTin && generalTins.includes(tin);
    },
  },
];

/**
 * Returns whether `ERR205` allows NA as the buyer's id number. A foreign business may use it. A public body may use it only with classification 004. Other codes cover the general public and a buyer with their own TIN.
 */
function mayHaveNoNumber({ tin, scheme, isClass004 }: PartyIdentity): boolean {
  if (tin === governmentTin) return isClass004;
  if (tin === foreignBuyerTin) return scheme === 'BRN';
  return tin !== foreignSupplierTin;
}

/** Returns whether the general public's TIN has an id that is not a MyKad or MyTentera number, or is twelve zeros. */
function hasWrongIdForPublic({ tin, scheme, id }: PartyIdentity): boolean {
  if (tin !== generalPublicTin || id === notApplicable) return false;
  return !['NRIC', 'ARMY'].includes(scheme) || id === '000000000000';
}

export const validateTaxpayers: ContentValidator = ({ document, invoice }) => [
  ...checkRules(buyerRules, readIdentity(findBuyer(invoice), invoice, document.type), buyerPath),
  ...checkRules(supplierRules, readIdentity(findSupplier(invoice), invoice, document.type), supplierPath),
];

const buyerPath = toPropertyPath('AccountingCustomerParty.Party.PartyIdentification.ID');
const supplierPath = toPropertyPath('AccountingSupplierParty.Party.PartyIdentification.ID');

function checkRules(rules: TaxpayerRule[], party: PartyIdentity, path: string) {
  return rules.filter((rule) => rule.isBroken(party)).map(({ code, message }) => ({ code, message, path }));
}

function readIdentity(party: UblNode, invoice: UblNode, type: string): PartyIdentity {
  const { scheme, value } = readLegalIds(party)[0] ?? { scheme: '', value: '' };
  return {
    tin: readTin(party),
    scheme,
    id: value,
    isClass004: hasOnlyConsolidatedLines(invoice),
    isSelfBilled: isSelfBilled(type),
  };
}
