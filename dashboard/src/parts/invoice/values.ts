import type { components } from '../../api/schema';
import { formatAmount } from '../format';
import { formatMalaysianDay } from '../malaysian-time';
import type { Profile } from '../organisation/queries';

/** What a number field holds: empty while nothing is typed. */
type Typed = number | string;

export type IdKind = 'brn' | 'nric' | 'passport' | 'army';

export interface LineValues extends Record<string, unknown> {
  description: string;
  quantity: Typed;
  unitPrice: Typed;
  discount: Typed;
  taxAmount: Typed;
}

/** The form of one invoice, in the shape of the request, so that its problems find their fields. */
export interface InvoiceValues extends Record<string, unknown> {
  documents: {
    referenceId: string;
    documentDate: string;
    recipient: {
      name: string;
      tin: string;
      idKind: IdKind;
      brn: string;
      nric: string;
      passport: string;
      army: string;
      addressLine1: string;
      city: string;
      postcode: string;
      country: string;
      state: string;
      phone: string;
      email: string;
    };
    lineItems: LineValues[];
  }[];
}

type SubmitBody = components['schemas']['SubmitDto'];

export const EMPTY_LINE: LineValues = { description: '', quantity: 1, unitPrice: '', discount: '', taxAmount: 0 };

export function emptyInvoice(): InvoiceValues {
  const recipient = {
    name: '',
    tin: '',
    idKind: 'brn' as const,
    brn: '',
    nric: '',
    passport: '',
    army: '',
    addressLine1: '',
    city: '',
    postcode: '',
    country: 'MYS',
    state: '',
    phone: '',
    email: '',
  };
  return {
    documents: [{ referenceId: '', documentDate: formatMalaysianDay(), recipient, lineItems: [{ ...EMPTY_LINE }] }],
  };
}

/**
 * An invoice of the organisation to itself: its TIN and id are the only ones that are surely known to the authority.
 */
export function sampleInvoice(profile: Profile, stateSlug: string): InvoiceValues {
  const values = emptyInvoice();
  const [document] = values.documents;
  const idKind = (profile.idType ?? 'BRN').toLowerCase() as IdKind;
  return {
    documents: [
      {
        ...document,
        referenceId: `TEST-${formatMalaysianDay().replaceAll('-', '')}-1`,
        recipient: {
          ...document.recipient,
          idKind,
          [idKind]: profile.idValue ?? '',
          name: profile.name,
          tin: profile.tin ?? '',
          addressLine1: profile.addressLine1 ?? '',
          city: profile.city ?? '',
          postcode: profile.postcode ?? '',
          country: profile.country ?? 'MYS',
          state: stateSlug,
          phone: profile.phone ?? '',
          email: profile.email ?? '',
        },
        lineItems: [{ description: 'Test item', quantity: 1, unitPrice: 100, discount: '', taxAmount: 8 }],
      },
    ],
  };
}

/** The request that the form asks for; what is empty is left out, so that the service says what is missing. */
export function toSubmitBody({ documents }: InvoiceValues): SubmitBody {
  const written = documents.map(({ recipient: { idKind, ...recipient }, lineItems, ...document }) => ({
    documentType: 'invoice',
    ...filled(document),
    recipient: {
      entity_type: idKind === 'brn' ? 'company' : 'individual',
      ...filled({ ...recipient, ...onlyId(recipient, idKind) }),
    },
    lineItems: lineItems.map(filled),
  }));
  return { submission_type: 'non-consolidated', documents: written } as SubmitBody;
}

const ID_KINDS: readonly IdKind[] = ['brn', 'nric', 'passport', 'army'];

function onlyId(recipient: Record<IdKind, string>, kind: IdKind): Record<IdKind, string> {
  const ids = ID_KINDS.map((one) => [one, one === kind ? recipient[one] : '']);
  return Object.fromEntries(ids) as Record<IdKind, string>;
}

function filled(members: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== ''));
}

/** A line's total as the service will compute it, for the eye; null while it cannot be said. */
export function lineTotal({ quantity, unitPrice, discount }: LineValues): number | null {
  if (quantity === '' || unitPrice === '') return null;
  return round(Number(quantity) * Number(unitPrice) - Number(discount));
}

/** What the buyer pays: the lines and their tax; null while a line is not complete. */
export function payable(lines: readonly LineValues[]): number | null {
  let sum = 0;
  for (const line of lines) {
    const total = lineTotal(line);
    if (total === null) return null;
    sum += total + Number(line.taxAmount);
  }
  return round(sum);
}

function round(amount: number): number {
  // The 15 digits that a double holds for sure: 99.995 is stored as a little less, and yet rounds up.
  return Math.round(Number(`${amount.toPrecision(15)}e2`)) / 100;
}

/** The tax of a line by its rate in percent. */
export function computeTax(total: number, rate: number): number {
  return round((total * rate) / 100);
}

/** `RM 1,234.50`, or a dash while it cannot be said. */
export function amountText(amount: number | null): string {
  return amount === null ? '–' : formatAmount(amount);
}
