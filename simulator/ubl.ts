import { parseJson } from './parse-json.js';

/** An object of the UBL JSON form, in which every member is an array and a basic value sits in the member `_`. */
export type UblNode = Readonly<Record<string, unknown>>;

export function isNode(value: unknown): value is UblNode {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The invoice of a document that was accepted; empty when it has none. */
export function readInvoice(raw: Buffer): UblNode {
  const root = parseJson(raw.toString('utf8'));
  return (isNode(root) && nodeAt(root, 'Invoice')) || {};
}

/** All nodes at a dotted path such as `InvoiceLine.Item`, through every array on the way. */
export function nodesAt(root: UblNode, path: string): UblNode[] {
  let nodes = [root];
  for (const name of namesIn(path)) nodes = collectChildren(nodes, name);
  return nodes;
}

export function textsAt(root: UblNode, path: string): string[] {
  return nodesAt(root, path).map((node) => (typeof node._ === 'string' ? node._ : ''));
}

/** The first of all nodes at a path; undefined when there is none. */
export function nodeAt(root: UblNode, path: string): UblNode | undefined {
  return firstBelow(root, namesIn(path), 0);
}

/** The first text at the path; empty when there is none. */
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

/** What a taxpayer can be identified with besides the TIN. */
export const legalIdSchemes = ['BRN', 'NRIC', 'PASSPORT', 'ARMY'];

/** The identifications of which a party must have exactly one. */
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

/** Who gets the goods, when that is stated. */
export function findRecipient(invoice: UblNode): UblNode {
  return nodeAt(invoice, 'Delivery.DeliveryParty') ?? {};
}

export function isSelfBilled(type: string): boolean {
  return type.startsWith('1');
}

/** The issuer of the document: the supplier, or the buyer in a self-billed one. */
export function findIssuer(invoice: UblNode): UblNode {
  return isSelfBilled(textAt(invoice, 'InvoiceTypeCode')) ? findBuyer(invoice) : findSupplier(invoice);
}

const consolidatedClass = '004';

/** The classification codes proper, without the customs tariff codes that share their element. */
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

/** What stands for a number that there is not. */
export const notApplicable = 'NA';

/** For the general public: a buyer with their own number is a named one, whatever the lines are. */
export function isConsolidated(invoice: UblNode): boolean {
  const buyer = findBuyer(invoice);
  const isPublic = readTin(buyer) === generalPublicTin && readLegalIds(buyer)[0]?.value === notApplicable;
  return isPublic && hasOnlyConsolidatedLines(invoice);
}

/**
 * The TIN format of individuals (`IG`) and of all other taxpayers, from the FAQ of the authority's SDK
 * (https://sdk.myinvois.hasil.gov.my/faq/).
 */
const taxpayerTinPattern = /^(?:IG\d{1,12}|(?:C|CS|D|F|FA|PT|TA|TC|TN|TR|TP|J|LE)[1-9]\d{0,10}0)$/;
const generalTinPattern = /^EI000000000[1-4]0$/;

export function isTaxpayerTin(tin: string): boolean {
  return taxpayerTinPattern.test(tin);
}

/** Returns whether a party of a document can have this TIN: that of a taxpayer, or a general TIN. */
export function isPartyTin(tin: string): boolean {
  return isTaxpayerTin(tin) || generalTinPattern.test(tin);
}

// Registrars other than SSM use any characters in their numbers.
const brnPattern = /^[^\p{C}]{1,20}$/u;

export function isBrn(text: string): boolean {
  return brnPattern.test(text);
}

// Every check of every document walks such paths, a few hundred in all: split once, and walked in plain loops, they
// cost half of what a submission did before.
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
