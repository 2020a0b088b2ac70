import { describe, expect, it } from 'vitest';
import type { DocumentErrorDto } from '../../src/status/dto/submission-status.dto.js';
import { accept, cancel, createTenant, issue, readStatus } from '../support/client.js';
import { creditNote, invoice, line, recipient, reference, today } from '../support/documents.js';
import { replaceCode } from '../support/replace-code.js';
import { startFileService } from '../support/file-service.js';

// docs/rules.md#status-response

const service = await startFileService();
const tenant = await createTenant(service);

/** Submits a batch and returns the errors of its documents. */
async function issueForErrors(...documents: Record<string, unknown>[]): Promise<DocumentErrorDto[][]> {
  const status = await issue(service, tenant, ...documents);
  return status.documents.map(({ errors }) => errors);
}

function numbered(prefix: string, overrides: Record<string, unknown> = {}): Record<string, unknown> {
  return invoice({ referenceId: reference(prefix), ...overrides });
}

const TWO_LINES = { lineItems: [line, line] };

describe('a validation error of the authority', () => {
  it('is reported with its original message and an explanation', async () => {
    const [errors] = await issueForErrors(numbered('SIM-REJECT-CF358'));
    expect(errors).toStrictEqual([
      {
        code: 'buyer_tin_invalid',
        message: "The buyer's TIN is not a valid tax identification number.",
        pointer: '/documents/0/recipient/tin',
        hint: expect.stringMatching(/^Send the buyer.s registered TIN/),
        authorityCode: 'CF358',
        authorityMessage: 'Invalid buyer TIN',
      },
    ]);
  });

  it.each<[string, string, string | null, Record<string, unknown>?]>([
    ['SIM-INVALID-CV302', 'code_not_in_list', '/recipient/state'],
    ['SIM-INVALID-CV317', 'state_required_in_malaysia', '/recipient/state'],
    ['SIM-INVALID-ERR406', 'buyer_tin_unknown', '/recipient/tin'],
    ['SIM-INVALID-ERR206', 'buyer_id_mismatch', '/recipient/brn'],
    ['SIM-INVALID-DC502', 'amount_currency_mismatch', ''],
    ['SIM-INVALID-DS302', 'signature_count_invalid', ''],
    ['SIM-INVALID-DS333', 'signature_value_invalid', ''],
    ['SIM-INVALID-CV999', 'authority_cv999', ''],
    ['SIM-REJECT-CF321', 'issue_time_out_of_range', '/document_date'],
    [
      'SIM-REJECT-CF321',
      'issue_time_out_of_range',
      '/documentDate',
      { document_date: undefined, documentDate: today() },
    ],
    ['SIM-REJECT-CF324', 'buyer_nric_invalid', '/recipient/nric', { recipient: individual() }],
    ['SIM-REJECT-CF349', 'buyer_phone_missing', '/recipient/phone'],
    ['SIM-REJECT-CF410', 'contact_email_missing', '/recipient/email'],
    ['SIM-REJECT-CF364', 'line_classification_missing', '/lineItems/0/classification'],
    ['SIM-REJECT-CF364', 'line_classification_missing', '/lineItems', TWO_LINES],
    ['SIM-REJECT-CF334', 'supplier_name_invalid', null],
    ['SIM-INVALID-ERR208', 'supplier_tin_general', null],
  ])('for %s is reported as %s at %s', async (prefix, code, pointer, overrides = {}) => {
    const [errors] = await issueForErrors(numbered(prefix, overrides));
    const at = pointer === null ? null : `/documents/0${pointer}`;
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatchObject({
      code,
      pointer: at,
      hint: expect.stringMatching(/./),
      authorityCode: prefix.split('-').at(-1),
      authorityMessage: expect.stringMatching(/./),
    });
  });

  it('points to its document in the request', async () => {
    const [none, refused, valid, invalid] = await issueForErrors(
      numbered('INV'),
      numbered('SIM-REJECT-CF358'),
      numbered('INV'),
      numbered('SIM-INVALID-CV302'),
    );
    expect([none, valid]).toEqual([[], []]);
    expect(refused[0]).toMatchObject({ pointer: '/documents/1/recipient/tin' });
    expect(invalid[0]).toMatchObject({ pointer: '/documents/3/recipient/state' });
  });

  it('has no pointer if it concerns the supplier', async () => {
    const supplierless = await createTenant(service, { profile: { state_code: 'XX' } });
    const { documents } = await issue(service, supplierless, invoice());
    expect(documents[0].errors[0]).toMatchObject({
      code: 'code_not_in_list',
      pointer: null,
      authorityCode: 'CV302',
      hint: expect.stringMatching(/^Correct "State" in the organisation's profile in the dashboard: choose the state /),
    });
  });

  it('points to the line with the rejected code', async () => {
    const lines = ['022', '045', '022'].map((classification) => ({ ...line, classification }));
    const { submissionBatchId } = await accept(service, tenant, [invoice({ lineItems: lines })]);
    await replaceCode(service, submissionBatchId, ['lineItems', '1', 'classification'], '999');
    await service.settle();
    const { documents } = await readStatus(service, tenant, submissionBatchId);
    expect(documents[0].errors).toMatchObject([
      {
        code: 'code_not_in_list',
        pointer: '/documents/0/lineItems/1/classification',
        hint: 'Send classification as another code of the list, such as 022 (others).',
        authorityMessage: 'ItemCode 999 does not exist in CodeType Classification Codes',
      },
    ]);
  });

  it('points to the wrong field if its code is undocumented', async () => {
    const parent = invoice();
    const [{ authorityUuid }] = (await issue(service, tenant, parent)).documents;
    const related = { referenceId: String(parent['referenceId']), authorityUuid: String(authorityUuid) };
    await service.control('portal', { uuid: authorityUuid, action: 'cancel' });
    const [errors] = await issueForErrors(creditNote(related));
    expect(errors[0]).toMatchObject({
      code: 'parent_not_referable',
      authorityCode: 'DR303',
      pointer: '/documents/0/relatedInvoice/authorityUuid',
    });
  });

  it('points to the document if it concerns the general-public buyer', async () => {
    const document = numbered('SIM-INVALID-ERR406', { recipient: undefined });
    const { submissionBatchId } = await accept(service, tenant, [document], { submissionType: 'consolidated' });
    await service.settle();
    const { documents } = await readStatus(service, tenant, submissionBatchId);
    expect(documents[0].errors[0]).toMatchObject({ code: 'buyer_tin_unknown', pointer: '/documents/0' });
  });
});

describe('the error of a refused cancellation', () => {
  it('is reported without a pointer', async () => {
    const [{ documentId }] = (await issue(service, tenant, numbered('SIM-NOCANCEL'))).documents;
    expect((await cancel(service, tenant, { documentId })).status).toBe(202);
    await service.settle();
    const [{ batch }] = await service.owner.query<{ batch: string }[]>(
      'SELECT submission_batch_id AS batch FROM document_transaction WHERE document_id = $1',
      [documentId],
    );
    const { cancellation } = (await readStatus(service, tenant, batch)).documents[0];
    expect(cancellation).toMatchObject({ status: 'Failed' });
    expect(cancellation?.errors).toStrictEqual([
      {
        code: 'cancellation_window_closed',
        message: 'The document was validated more than 72 hours ago and can no longer be cancelled.',
        pointer: null,
        hint: 'Correct an invoice with a credit note that references it, and a credit note with a new invoice.',
        authorityCode: 'OperationPeriodOver',
        authorityMessage: expect.stringMatching(/./),
      },
    ]);
  });
});

function individual(): Record<string, unknown> {
  const { brn: _, ...rest } = recipient;
  return { ...rest, entity_type: 'individual', tin: 'IG1234567890', nric: '880101145678' };
}
