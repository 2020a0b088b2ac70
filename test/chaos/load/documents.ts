import type { Random } from '../../../bench/content/random.js';
import type { DocumentType, SentDocument } from './history.js';

/** Document as the interface expects it, and its expected content at the authority. */
export interface MadeDocument {
  readonly body: Readonly<Record<string, unknown>>;
  readonly sent: SentDocument;
}

export interface DocumentRequest {
  readonly documentType: DocumentType;
  readonly referenceId: string;
  readonly isConsolidated: boolean;
  readonly parentReferenceId?: string;
}

const LINES_MAX = 4;
const QUANTITY_MAX = 20;
const PRICE_SEN_MAX = 50_000;
const TAX_SHARE = 0.08;
const UNIT_TAX_SEN_MAX = 2_000;
const BUYER_TIN = 'C9876543210';
// The authority's buyer name for consolidated documents.
const CONSOLIDATED_BUYER = 'General Public';

/** Makes a random document. Amounts are whole sen, so that the client's sums are exact. */
export function makeDocument(random: Random, request: DocumentRequest): MadeDocument {
  const { documentType, referenceId, isConsolidated, parentReferenceId } = request;
  const lines = Array.from({ length: random.integer(1, LINES_MAX) }, () => {
    const quantity = random.integer(1, QUANTITY_MAX);
    const priceSen = random.integer(1, PRICE_SEN_MAX);
    const totalSen = quantity * priceSen;
    return { quantity, priceSen, totalSen, ...chooseTax(random, { quantity, totalSen }) };
  });
  // Unique buyer names reveal mixed-up documents.
  const buyer = isConsolidated ? CONSOLIDATED_BUYER : `Pembeli ${referenceId}`;
  return {
    body: {
      documentType,
      referenceId,
      documentDate: chooseDate(referenceId),
      ...(isConsolidated ? {} : { recipient: buildRecipient(buyer) }),
      lineItems: lines.map(({ quantity, priceSen, members }) => ({
        description: 'Barang',
        quantity,
        unitPrice: priceSen / 100,
        ...members,
      })),
      ...(parentReferenceId === undefined ? {} : { relatedInvoice: { referenceId: parentReferenceId } }),
    },
    sent: {
      documentType,
      referenceId,
      payableSen: lines.reduce((sum, line) => sum + line.totalSen + line.chargedSen, 0),
      lines: lines.length,
      buyer,
    },
  };
}

interface LineTax {
  readonly members: Readonly<Record<string, string | number>>;
  readonly chargedSen: number;
}

/** Chooses no tax, a percentage, an exempted tax, or an amount per unit with or without a separate unit count. */
function chooseTax(random: Random, { quantity, totalSen }: { quantity: number; totalSen: number }): LineTax {
  const percentSen = Math.round(totalSen * TAX_SHARE);
  const perUnitSen = random.integer(1, UNIT_TAX_SEN_MAX);
  const [units, ownUnits] = [quantity, random.integer(1, QUANTITY_MAX)];
  const byUnit = { taxType: '03', taxPerUnit: perUnitSen / 100 };
  const taxes: readonly LineTax[] = [
    { members: { taxAmount: 0 }, chargedSen: 0 },
    { members: { taxAmount: percentSen / 100 }, chargedSen: percentSen },
    { members: { taxType: 'E', taxExemptionReason: 'Jadual A', taxAmount: percentSen / 100 }, chargedSen: 0 },
    { members: byUnit, chargedSen: perUnitSen * units },
    { members: { ...byUnit, taxUnitCount: ownUnits }, chargedSen: perUnitSen * ownUnits },
  ];
  return random.pick(taxes);
}

function buildRecipient(name: string): Record<string, string> {
  return {
    name,
    entity_type: 'company',
    tin: BUYER_TIN,
    brn: '202001234567',
    addressLine1: '12 Jalan Contoh',
    city: 'Shah Alam',
    postcode: '40000',
    state: 'selangor',
  };
}

const MALAYSIA_MS = 8 * 3_600_000;
const DAY_MS = 86_400_000;
/** Every third document is dated yesterday. These documents share one issue time, the last one of the day. */
const YESTERDAY_EVERY = 3;

function chooseDate(referenceId: string): string {
  const number = Number(/\d+$/.exec(referenceId)?.[0] ?? 0);
  const day = Date.now() + MALAYSIA_MS - (number % YESTERDAY_EVERY === 0 ? DAY_MS : 0);
  return new Date(day).toISOString().slice(0, 10);
}
