import { codeLists } from '../code-lists.js';
import type { ValidationFinding } from '../documents.js';
import { type UblNode, isConsolidated, textAt } from '../ubl.js';
import { type ContentValidator, toPropertyPath } from './validator.js';

const retiredState = '00';
const noState = '17';
const stateElement = 'PostalAddress.CountrySubentityCode';

interface PartyRole {
  element: string;
  name: string;
}
const supplierRole: PartyRole = { element: 'AccountingSupplierParty.Party', name: 'Supplier' };
const buyerRole: PartyRole = { element: 'AccountingCustomerParty.Party', name: 'Buyer' };
const recipientRole: PartyRole = { element: 'Delivery.DeliveryParty', name: 'Shipping Recipient' };

/**
 * Checks the state codes. Codes 01 to 16 are Malaysian states. Code 17 is for foreign addresses and the consolidated
 * buyer. A foreign address may contain a state name instead.
 */
export const validateStates: ContentValidator = ({ invoice }) =>
  [supplierRole, buyerRole, recipientRole].flatMap((role) => {
    const problem = findStateProblem(invoice, role);
    return problem ? [{ ...problem, path: toPropertyPath(`${role.element}.${stateElement}`) }] : [];
  });

function findStateProblem(invoice: UblNode, role: PartyRole): Omit<ValidationFinding, 'path'> | undefined {
  const state = textAt(invoice, `${role.element}.PostalAddress.CountrySubentityCode`);
  const country = textAt(invoice, `${role.element}.PostalAddress.Country.IdentificationCode`);
  // The core field checks require the state of supplier and buyer. The shipping recipient's address is optional.
  if (state === '') return undefined;
  if (state === retiredState) {
    return { code: 'CV302', message: `ItemCode ${state} was not active when document issued` };
  }
  const isListed = codeLists.states.codes.has(state);
  if (country !== 'MYS' && isListed && state !== noState) {
    return { code: 'CV316', message: `State Codes 01-16 must be restricted to MYS only - ${role.name}` };
  }
  return country === 'MYS' ? findMalaysianProblem(invoice, role, state) : undefined;
}

function findMalaysianProblem(invoice: UblNode, role: PartyRole, state: string) {
  if (!codeLists.states.codes.has(state)) {
    return { code: 'CV302', message: `ItemCode ${state} does not exist in CodeType ${codeLists.states.name}` };
  }
  const mayHaveNone = role === buyerRole && isConsolidated(invoice);
  if (state !== noState || mayHaveNone) return undefined;
  return { code: 'CV317', message: `State code 17 only for consolidated and non-Malaysian address - ${role.name}` };
}
