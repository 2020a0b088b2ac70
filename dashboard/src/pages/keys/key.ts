import type { paths } from '../../api/schema';
import { formatMalaysianDay } from '../../parts/malaysian-time';

export type Key =
  paths['/api/dashboard/organisations/{tenantId}/keys']['get']['responses'][200]['content']['application/json']['items'][number];

export type MadeKey =
  paths['/api/dashboard/organisations/{tenantId}/keys']['post']['responses'][201]['content']['application/json'];

/** Returns a command that tests a key with a dry run. */
export function tryLine(origin: string, apiKey: string): string {
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
