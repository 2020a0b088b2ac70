import { STATE_SPELLINGS } from '../../documents/code-lists.js';
import type { IdType } from '../../documents/identity.js';
import type { LineItem, Recipient, RelatedInvoice, SimplifiedDocument } from '../../documents/simplified-document.js';

const ID_MEMBERS: Readonly<Record<IdType, string>> = { BRN: 'brn', NRIC: 'nric', PASSPORT: 'passport', ARMY: 'army' };

/**
 * A submit body of one document that is kept as this one is: to be looked at, corrected and sent again. What was left
 * out or spelt otherwise in the original is as the service took it.
 */
export function buildRequest({ submissionType, recipient, relatedInvoice, ...document }: SimplifiedDocument): object {
  const { documentType, referenceId, documentDate, dateMember, lineItems, totalDiscountAmount, totalRoundingAmount } =
    document;
  return {
    submission_type: submissionType,
    documents: [
      {
        documentType,
        referenceId,
        [dateMember ?? 'document_date']: documentDate,
        ...(relatedInvoice === null ? {} : { relatedInvoice: buildRelatedInvoice(relatedInvoice) }),
        ...(recipient === null ? {} : { recipient: buildRecipient(recipient) }),
        lineItems: lineItems.map(buildLine),
        ...(totalDiscountAmount === 0 ? {} : { totalDiscountAmount }),
        ...(totalRoundingAmount === 0 ? {} : { totalRoundingAmount }),
      },
    ],
  };
}

const SLUG_BY_CODE: ReadonlyMap<string, string> = new Map(STATE_SPELLINGS);

function buildRecipient({ idType, idValue, addressLines, ...recipient }: Recipient): object {
  const { name, tin, city, postcode, stateCode, country, phone, email, sstNumber } = recipient;
  return {
    name,
    tin,
    entity_type: idType === 'BRN' ? 'company' : 'individual',
    [ID_MEMBERS[idType]]: idValue,
    ...Object.fromEntries(addressLines.map((line, index) => [`addressLine${index + 1}`, line])),
    ...given({ postcode }),
    city,
    // Abroad it is a name, which is never one of the codes.
    state: SLUG_BY_CODE.get(stateCode) ?? stateCode,
    country,
    // The longest are kept without their plus, as the authority has room for them.
    ...given({ phone: phone === null ? null : `+${phone.replace('+', '')}`, email, sstNumber }),
  };
}

function buildLine({ exemptedTaxAmount, unitTax, ...line }: LineItem): object {
  const { taxType, taxExemptionReason, classification, unitCode, ...amounts } = line;
  return {
    ...amounts,
    // Stated as it was sent: the type E exempts it.
    taxAmount: exemptedTaxAmount ?? line.taxAmount,
    ...(unitTax === undefined ? {} : { taxPerUnit: unitTax.taxPerUnit, taxUnitCount: unitTax.unitCount }),
    ...given({ taxType, taxExemptionReason, classification, unitCode }),
  };
}

function buildRelatedInvoice({ referenceId, authorityUuid }: RelatedInvoice): object {
  return { referenceId, ...given({ authorityUuid }) };
}

function given(members: Readonly<Record<string, string | null>>): Record<string, string> {
  const entries = Object.entries(members);
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== null));
}
