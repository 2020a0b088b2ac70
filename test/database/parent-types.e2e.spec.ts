import { expect, it } from 'vitest';
import { DOCUMENT_TYPE_ROWS, DOCUMENT_TYPES } from '../../src/documents/document-types.js';
import { startFileService } from '../support/file-service.js';

const service = await startFileService();

it.each(DOCUMENT_TYPES)('the database knows the type of the parent of %s as the code does', async (type) => {
  const [{ parentType }] = await service.owner.query<{ parentType: string | null }[]>(
    'SELECT parent_type_of($1) AS "parentType"',
    [type],
  );
  expect(parentType).toBe(DOCUMENT_TYPE_ROWS[type].parentType);
});
