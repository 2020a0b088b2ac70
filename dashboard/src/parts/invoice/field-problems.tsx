import { Button, Group } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { ReactNode } from 'react';
import type { Problem } from '../../api/errors';
import { sortProblems, toFieldName } from '../form';
import { toSentence, withFullStop } from '../sentence';
import { readProposals } from './proposals';
import type { InvoiceValues } from './values';

/** Members that the form has by another name. */
const FIELDS: Readonly<Record<string, string>> = {
  document_date: 'documentDate',
  entity_type: 'idKind',
  entityType: 'idKind',
  submissionType: 'submission_type',
};

/** The field of a place in the request, of which the form shows one document, whichever it was. */
function toInvoiceField(pointer: string): string {
  const names = toFieldName(pointer.replace(/^\/documents\/\d+/, '/documents/0')).split('.');
  return names.map((name) => FIELDS[name] ?? name).join('.');
}

export type InvoiceForm = UseFormReturnType<InvoiceValues>;

/** Next to which field each problem stands, with a button for each value that its hint proposes; and the others. */
export function sortInvoiceProblems(form: Pick<InvoiceForm, 'setFieldValue'>, values: InvoiceValues) {
  const render = (problem: Problem, field: string): ReactNode => (
    <FieldProblem
      problem={problem}
      onUse={(value) => form.setFieldValue(field, NUMBERS.test(field) ? Number(value) : value)}
    />
  );
  return (problems: readonly Problem[]) => sortProblems(problems, values, { toField: toInvoiceField, render });
}

const NUMBERS = /\.(?:quantity|unitPrice|discount|lineTotal|tax(?:Amount|PerUnit|UnitCount)|total\w+Amount)$/;

function FieldProblem({ problem, onUse }: { problem: Problem; onUse: (value: string) => void }) {
  const proposals = readProposals(problem.hint);
  if (proposals.length === 0) return toSentence(problem);
  return (
    <>
      {withFullStop(toSentence(problem))}
      <Group component="span" gap={6} mt={4}>
        {proposals.map((value) => (
          <Button key={value} size="compact-xs" variant="default" onClick={() => onUse(value)}>
            Use {value}
          </Button>
        ))}
      </Group>
    </>
  );
}
