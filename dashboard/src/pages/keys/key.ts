import type { components } from '../../api/schema';
import { formatMalaysianDay } from '../../parts/malaysian-time';

export type Key = components['schemas']['KeyDto'];

export type MadeKey = components['schemas']['MadeKeyDto'];

/** Returns a command that tests a key with a dry run. */
export function buildTestCommand(origin: string, apiKey: string): string {
  const invoice = {
    submission_type: 'consolidated',
    documents: [
      {
        documentType: 'invoice',
        referenceId: 'TEST-1',
        document_date: formatMalaysianDay(),
        lineItems: [{ description: 'Receipts', quantity: 1, unitPrice: 10 }],
      },
    ],
  };
  return [
    `curl -i "${origin}/api/v1/einvoice/submit/dry-run" \\`,
    `  -H "X-API-Key: ${apiKey}" \\`,
    `  -H "Content-Type: application/json" \\`,
    `  -d '${JSON.stringify(invoice)}'`,
  ].join('\n');
}
