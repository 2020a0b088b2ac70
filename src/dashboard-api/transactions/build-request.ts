import { STATE_SPELLINGS } from '../../documents/code-lists.js';
import type { COMPUTED_TOTALS, DocumentDto } from '../../documents/dto/document.dto.js';
import { LINE_TEXTS, type LineItemDto } from '../../documents/dto/line-item.dto.js';
import type { RelatedInvoiceDto } from '../../documents/dto/related-invoice.dto.js';
import { RECIPIENT_TEXTS, type RecipientDto } from '../../documents/dto/recipient.dto.js';
import type { SubmitDto } from '../../submission/dto/submit.dto.js';
import type { IdType } from '../../documents/identity.js';
import type {
  LineItem,
  Named,
  Recipient,
  RelatedInvoice,
  SimplifiedDocument,
} from '../../documents/simplified-document.js';

/** Builds a submit body from a stored document. The body contains the normalised values, not the original spelling. */
export function buildRequest(document: SimplifiedDocument): SubmitDto {
  return { submission_type: document.submissionType, documents: [buildDocument(document)] };
}

// JSON omits undefined members.
function buildDocument(document: SimplifiedDocument): Named<Omit<DocumentDto, Computed>> {
  const { documentType, referenceId, dateMember, documentDate, relatedInvoice, recipient, lineItems } = document;
  return {
    documentType,
    referenceId,
    document_date: dateMember === undefined ? documentDate : undefined,
    documentDate: dateMember === undefined ? undefined : documentDate,
    relatedInvoice: relatedInvoice === null ? undefined : buildRelatedInvoice(relatedInvoice),
    recipient: recipient === null ? undefined : buildRecipient(recipient),
    lineItems: lineItems.map(buildLine),
    ...buildOptionalFields(document),
  };
}

type Composed = 'relatedInvoice' | 'recipient' | 'lineItems';
type Computed = (typeof COMPUTED_TOTALS)[number][number];
type Heading = 'documentType' | 'referenceId' | 'document_date' | 'documentDate';

/** Returns the optional fields of a document, without its heading, buyer and lines. */
export function buildOptionalFields(
  document: Partial<SimplifiedDocument>,
): Named<Omit<DocumentDto, Composed | Heading | Computed>> {
  const { totalDiscountAmount, totalRoundingAmount, paymentTerms } = document;
  return {
    totalDiscountAmount: totalDiscountAmount === 0 ? undefined : totalDiscountAmount,
    totalRoundingAmount: totalRoundingAmount === 0 ? undefined : totalRoundingAmount,
    paymentTerms,
  };
}

const SLUG_BY_CODE: ReadonlyMap<string, string> = new Map(STATE_SPELLINGS);

export function buildRecipient({ idType, idValue, addressLines, ...recipient }: Recipient): Named<RecipientDto> {
  const { name, tin, city, postcode, stateCode, country } = recipient;
  const ids: Partial<Record<IdType, string>> = { [idType]: idValue };
  return {
    name,
    tin,
    entity_type: idType === 'BRN' ? 'company' : 'individual',
    entityType: undefined,
    brn: ids.BRN,
    nric: ids.NRIC,
    passport: ids.PASSPORT,
    army: ids.ARMY,
    addressLine1: addressLines[0],
    addressLine2: addressLines.at(1),
    addressLine3: addressLines.at(2),
    postcode: postcode ?? undefined,
    city,
    // Outside Malaysia, the state is free text, which never equals a code.
    state: SLUG_BY_CODE.get(stateCode) ?? stateCode,
    country,
    ...pickTexts(recipient, RECIPIENT_TEXTS),
  };
}

export function buildLine({ exemptedTaxAmount, unitTax, ...line }: LineItem): Named<LineItemDto> {
  return {
    description: line.description,
    quantity: line.quantity,
    unitPrice: line.unitPrice,
    discount: line.discount,
    lineTotal: line.lineTotal,
    // The tax type E declares this tax as exempted.
    taxAmount: exemptedTaxAmount ?? line.taxAmount,
    taxRate: line.taxRate,
    tax_rate: undefined,
    taxPerUnit: unitTax?.taxPerUnit,
    taxUnitCount: unitTax?.unitCount,
    ...pickTexts(line, LINE_TEXTS),
  };
}

function pickTexts<Name extends string>(
  stored: Readonly<Partial<Record<Name, string | null>>>,
  names: readonly Name[],
): Readonly<Record<Name, string | undefined>> {
  return Object.fromEntries(names.map((name) => [name, stored[name] ?? undefined])) as Record<Name, string | undefined>;
}

function buildRelatedInvoice({ referenceId, authorityUuid }: RelatedInvoice): Named<RelatedInvoiceDto> {
  return { referenceId, authorityUuid: authorityUuid ?? undefined };
}
