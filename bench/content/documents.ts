import { createRandom, type Random } from './random.js';

// Generated submit bodies of Malaysian businesses. Document numbers and buyer TINs are placeholders that are filled in
// per request. The rest is the same in every run.

export const REFERENCE_SLOT = '@REFERENCE@';
export const BUYER_TIN_SLOT = '@BUYER-TIN@';

const LINES_PER_DOCUMENT = 3;
const CREDIT_NOTE_SHARE = 0.1;
const INDIVIDUAL_SHARE = 0.25;
const FOREIGN_SHARE = 0.05;
const DISCOUNT_SHARE = 0.2;

export type SubmitContent = Readonly<Record<string, unknown>>;

/** Generates a submit body. Every eighth seed generates a consolidated one. */
export function submitContent(documentCount: number, seed: number, documentDate: string): SubmitContent {
  const random = createRandom(seed);
  const isConsolidated = seed % 8 === 7;
  const documents = Array.from({ length: documentCount }, () => buildDocument(random, isConsolidated, documentDate));
  return { submission_type: isConsolidated ? 'consolidated' : 'non-consolidated', documents };
}

function buildDocument(random: Random, isConsolidated: boolean, documentDate: string): SubmitContent {
  const isCreditNote = !isConsolidated && random.chance(CREDIT_NOTE_SHARE);
  const parent = { referenceId: `INV-2026-${random.integer(1_000, 9_999)}`, authorityUuid: random.text(26) };
  return {
    documentType: isCreditNote ? 'credit_note' : 'invoice',
    referenceId: REFERENCE_SLOT,
    document_date: documentDate,
    ...(isConsolidated ? {} : { recipient: buildRecipient(random) }),
    lineItems: Array.from({ length: LINES_PER_DOCUMENT }, () => buildLine(random, isConsolidated)),
    ...(random.chance(DISCOUNT_SHARE) ? { totalRoundingAmount: 0.02 } : {}),
    ...(isCreditNote ? { relatedInvoice: parent } : {}),
  };
}

const COMPANIES = [
  'Pembeli Contoh Sdn Bhd',
  'Syarikat Perniagaan Maju Jaya & Rakan-Rakan Sdn. Bhd.',
  '吉隆坡五金有限公司 Kuala Lumpur Hardware Trading Sdn Bhd',
  'Perusahaan Makanan Ringan Utara (M) Sdn Bhd',
  'Klinik Pergigian Sri Damai',
];
const PEOPLE = ['Aminah binti Abdul Rahman', 'Tan Wei Ming', 'Kavitha a/p Subramaniam', 'Nur Izzati Ó Briain'];
const CITIES = [
  { city: 'Shah Alam', postcode: '40000', state: 'selangor' },
  { city: 'Kuala Lumpur', postcode: '50480', state: 'kuala_lumpur' },
  { city: 'George Town', postcode: '10200', state: 'penang' },
  { city: 'Johor Bahru', postcode: '80100', state: 'johor' },
];

function buildRecipient(random: Random): SubmitContent {
  const isIndividual = random.chance(INDIVIDUAL_SHARE);
  const identity = isIndividual
    ? { entity_type: 'individual', nric: `${random.integer(600_101, 991_231)}${random.integer(100_000, 999_999)}` }
    : { entity_type: 'company', brn: `20${random.integer(10, 24)}01${random.integer(100_000, 999_999)}` };
  const city = random.chance(FOREIGN_SHARE)
    ? { city: 'Singapore', postcode: '018956', country: 'SGP' }
    : random.pick(CITIES);
  return {
    name: random.pick(isIndividual ? PEOPLE : COMPANIES),
    tin: BUYER_TIN_SLOT,
    ...identity,
    ...city,
    addressLine1: `${random.integer(1, 200)} Jalan Contoh ${random.integer(1, 30)}/${random.integer(1, 30)}`,
    ...(random.chance(0.5) ? { addressLine2: 'Taman Perindustrian Seri Kembangan' } : {}),
    ...(random.chance(0.5) ? { phone: `+603${random.integer(10_000_000, 99_999_999)}` } : {}),
    ...(random.chance(0.3) ? { email: 'accounts.payable@pembeli.example' } : {}),
  };
}

const DESCRIPTIONS = [
  'Consulting',
  'Servis penyelenggaraan pendingin hawa, termasuk gas dan alat ganti',
  'Laptop 14" 16 GB / 512 GB SSD, three years on-site warranty',
  'Beras wangi 10 kg',
  'Sewa pejabat bulanan',
  'Delivery and handling, Klang Valley',
];

// Prices are whole sen, so that amounts are exact after rounding once.
function buildLine(random: Random, isConsolidated: boolean): SubmitContent {
  const quantity = random.integer(1, 40);
  const unitPrice = random.integer(100, 250_000) / 100;
  const discount = random.chance(DISCOUNT_SHARE) ? random.integer(1, 90) / 100 : 0;
  const lineTotal = sen(quantity * unitPrice - discount);
  const isTaxed = random.chance(0.7);
  return {
    description: isConsolidated
      ? `Receipts ${random.integer(1, 500)} to ${random.integer(501, 999)}`
      : random.pick(DESCRIPTIONS),
    quantity,
    unitPrice,
    ...(discount === 0 ? {} : { discount }),
    ...(random.chance(0.8) ? { lineTotal } : {}),
    ...(isTaxed ? { taxAmount: sen(lineTotal * 0.08), taxType: '02' } : {}),
    ...(random.chance(0.4) ? { classification: isConsolidated ? '004' : '022', unitCode: 'C62' } : {}),
  };
}

function sen(ringgit: number): number {
  return Math.round(ringgit * 100) / 100;
}
