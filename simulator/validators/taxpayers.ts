import {
  buyerOf,
  generalPublicTin,
  hasOnlyConsolidatedLines,
  isSelfBilled,
  legalIdsOf,
  tinOf,
  type UblNode,
} from '../ubl.js';
import { type Validator, pathOf } from './validator.js';

const foreignBuyerTin = 'EI00000000020';
const governmentTin = 'EI00000000040';
const generalTinPattern = /^EI000000000[1-4]0$/;
const buyerPath = pathOf('AccountingCustomerParty.Party.PartyIdentification.ID');
const supplierPath = pathOf('AccountingSupplierParty.Party.PartyIdentification.ID');

/** How the buyer is identified, which is all that the rules look at. */
interface BuyerIdentity {
  tin: string;
  /** `BRN`, `NRIC`, `PASSPORT` or `ARMY`. */
  scheme: string;
  id: string;
  isClass004: boolean;
}

interface TaxpayerRule {
  code: string;
  message: string;
  isBroken(buyer: BuyerIdentity): boolean;
}

/** The rules on the general TINs; the register of real taxpayers is not simulated. */
const buyerRules: TaxpayerRule[] = [
  {
    code: 'ERR205',
    message: 'Where general TIN is provided, NA is not allowed',
    isBroken: ({ tin, id, isClass004 }) =>
      id === 'NA' && generalTinPattern.test(tin) && tin !== generalPublicTin && !(tin === governmentTin && isClass004),
  },
  {
    code: 'ERR206',
    message: 'Identification number mismatch or does not exist in HITS',
    isBroken: ({ tin, id }) => id === 'NA' && !generalTinPattern.test(tin),
  },
  {
    code: 'ERR228',
    message: 'General TIN (010) is not allowed for NON-consolidated e-invoice',
    isBroken: ({ tin, id, isClass004 }) => tin === generalPublicTin && id === 'NA' && !isClass004,
  },
  {
    code: 'ERR236',
    message: 'General TIN (010) with identification number NA is only for classification 004',
    isBroken: ({ tin, id, isClass004 }) => tin === generalPublicTin && id === 'NA' && !isClass004,
  },
  {
    code: 'ERR237',
    message: 'Buyer details cannot be general TIN (010) for an individual e-invoice',
    // Twelve zeros stand for a person who gave only a TIN, so the TIN must be that person's own. A passport is that of a
    // foreigner, whose general TIN is another.
    isBroken: ({ tin, id, scheme }) => tin === generalPublicTin && (id === '000000000000' || scheme === 'PASSPORT'),
  },
];

export const validateTaxpayers: Validator = ({ document, invoice }) => {
  const identity = identityOf(invoice);
  const findings = buyerRules
    .filter((rule) => rule.isBroken(identity))
    .map(({ code, message }) => ({ code, message, path: buyerPath }));
  if (isSelfBilled(document.type) && document.supplierTin === foreignBuyerTin) {
    const message = 'General TIN (020) is not applicable for foreign supplier';
    findings.push({ code: 'ERR208', message, path: supplierPath });
  }
  return findings;
};

function identityOf(invoice: UblNode): BuyerIdentity {
  const buyer = buyerOf(invoice);
  const [legalId] = legalIdsOf(buyer);
  return {
    tin: tinOf(buyer),
    scheme: legalId?.scheme ?? '',
    id: legalId?.value ?? '',
    isClass004: hasOnlyConsolidatedLines(invoice),
  };
}
