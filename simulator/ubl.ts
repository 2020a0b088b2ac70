import { parseJson } from './parse-json.js';

/** An object in UBL's JSON format: each member is an array, and a basic value is in the member `_`. */
export type UblNode = Readonly<Record<string, unknown>>;

export function isNode(value: unknown): value is UblNode {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses the invoice of an accepted document. Returns an empty object if there is none. */
export function readInvoice(raw: Buffer): UblNode {
  const root = parseJson(raw.toString('utf8'));
  return (isNode(root) && nodeAt(root, 'Invoice')) || {};
}

/** Returns all nodes at a dotted path such as `InvoiceLine.Item`, across all array items. */
export function nodesAt(root: UblNode, path: string): UblNode[] {
  let nodes = [root];
  for (const name of namesIn(path)) nodes = collectChildren(nodes, name);
  return nodes;
}

export function textsAt(root: UblNode, path: string): string[] {
  return nodesAt(root, path).map((node) => (typeof node._ === 'string' ? node._ : ''));
}

/** Returns the first node at a path, or undefined. */
export function nodeAt(root: UblNode, path: string): UblNode | undefined {
  return firstBelow(root, namesIn(path), 0);
}

/** Returns the first text at a path, or an empty string. */
export function textAt(root: UblNode, path: string): string {
  const value = nodeAt(root, path)?._;
  return typeof value === 'string' ? value : '';
}

export function numberAt(root: UblNode, path: string): number | undefined {
  const value = nodeAt(root, path)?._;
  return typeof value === 'number' ? value : undefined;
}

export function readAttribute(node: UblNode, name: string): string {
  const value = node[name];
  return typeof value === 'string' ? value : '';
}

export interface Identification {
  scheme: string;
  value: string;
}

export function readIdentifications(party: UblNode): Identification[] {
  return nodesAt(party, 'PartyIdentification.ID').map((id) => ({
    scheme: readAttribute(id, 'schemeID'),
    value: readAttribute(id, '_'),
  }));
}

/** Types of the id that a taxpayer has in addition to the TIN. */
export const legalIdSchemes = ['BRN', 'NRIC', 'PASSPORT', 'ARMY'];

/** Returns the ids other than the TIN. A party must have exactly one. */
export function readLegalIds(party: UblNode): Identification[] {
  return readIdentifications(party).filter(({ scheme }) => legalIdSchemes.includes(scheme));
}

export function readTin(party: UblNode): string {
  return readIdentifications(party).find(({ scheme }) => scheme === 'TIN')?.value ?? '';
}

export function findSupplier(invoice: UblNode): UblNode {
  return nodeAt(invoice, 'AccountingSupplierParty.Party') ?? {};
}

export function findBuyer(invoice: UblNode): UblNode {
  return nodeAt(invoice, 'AccountingCustomerParty.Party') ?? {};
}

/** Returns the shipping recipient, or an empty object. */
export function findRecipient(invoice: UblNode): UblNode {
  return nodeAt(invoice, 'Delivery.DeliveryParty') ?? {};
}

export function isSelfBilled(type: string): boolean {
  return type.startsWith('1');
}

/** Returns the issuer: the supplier, or the buyer of a self-billed document. */
export function findIssuer(invoice: UblNode): UblNode {
  return isSelfBilled(textAt(invoice, 'InvoiceTypeCode')) ? findBuyer(invoice) : findSupplier(invoice);
}

const consolidatedClass = '004';

/** Returns the classification codes of a line, without the customs tariff codes in the same element. */
export function readClassifications(line: UblNode): string[] {
  return nodesAt(line, 'Item.CommodityClassification.ItemClassificationCode')
    .filter((code) => readAttribute(code, 'listID') === 'CLASS')
    .map((code) => readAttribute(code, '_'));
}

export function hasOnlyConsolidatedLines(invoice: UblNode): boolean {
  return nodesAt(invoice, 'InvoiceLine').every((line) =>
    readClassifications(line).every((code) => code === consolidatedClass),
  );
}

export const generalPublicTin = 'EI00000000010';

/** Placeholder for a missing number. */
export const notApplicable = 'NA';

/** Returns whether the buyer is the general public. A buyer with an id number makes the invoice a normal one. */
export function isConsolidated(invoice: UblNode): boolean {
  const buyer = findBuyer(invoice);
  const isPublic = readTin(buyer) === generalPublicTin && readLegalIds(buyer)[0]?.value === notApplicable;
  return isPublic && hasOnlyConsolidatedLines(invoice);
}

/**
 * TIN formats of individuals (`IG`) and of all other taxpayers, from the FAQ of the authority's
 * SDK (https://sdk.myinvois.hasil.gov.my/faq/).
 */
const taxpayerTinPattern = /^(?:IG\d{1,12}|(?:C|CS|D|F|FA|PT|TA|TC|TN|TR|TP|J|LE)[1-9]\d{0,10}0)$/;
const generalTinPattern = /^EI000000000[1-4]0$/;

export function isTaxpayerTin(tin: string): boolean {
  return taxpayerTinPattern.test(tin);
}

/** Returns whether the TIN is a taxpayer's TIN or a general TIN. */
export function isPartyTin(tin: string): boolean {
  return isTaxpayerTin(tin) || generalTinPattern.test(tin);
}

// Registrars other than SSM issue numbers with arbitrary characters.
const brnPattern = /^[^\p{C}]{1,20}$/u;

export function isBrn(text: string): boolean {
  return brnPattern.test(text);
}

// The split paths are cached because the checks of each document resolve a few hundred of them. The cache and plain
// loops halve the cost of a submission.
const namesByPath = new Map<string, readonly string[]>();

function namesIn(path: string): readonly string[] {
  let names = namesByPath.get(path);
  if (!names) {
    names = path.split('.');
    namesByPath.set(path, names);
  }
  return names;
}

function firstBelow(node: UblNode, names: readonly string[], depth: number): UblNode | undefined {
  const name = names[depth];
  if (name === undefined) return node;
  const children = node[name];
  if (!Array.isArray(children)) return undefined;
  for (const child of children as unknown[]) {
    const found = isNode(child) ? firstBelow(child, names, depth + 1) : undefined;
    if (found) return found;
  }
  return undefined;
}

function collectChildren(nodes: readonly UblNode[], name: string): UblNode[] {
  const found: UblNode[] = [];
  for (const node of nodes) {
    const children = node[name];
    if (!Array.isArray(children)) continue;
    for (const child of children as unknown[]) if (isNode(child)) found.push(child);
  }
  return found;
}

/** Counts code points. The authority does not publish the unit of its limits; JSON Schema counts code points. */
export function countCharacters(text: string): number {
  return Array.from(text).length;
}
