import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { unwrap, client } from '../../api/client';
import { NothingFound } from '../../parts/nothing-found';

interface ErrorSelectProps {
  scope: { tenantId: string; environment: 'sandbox' | 'production' };
  error: string | undefined;
  onChange: (error: string | undefined) => void;
}

/** Filters by the first error of a document. The choices are the errors of documents that need action. */
export function ErrorSelect({ scope, error, onChange }: ErrorSelectProps) {
  const [isOpen, setOpen] = useState(false);
  const { data } = useQuery({
    queryKey: ['transactions', scope.tenantId, scope.environment, 'needs-action'],
    queryFn: () =>
      unwrap(
        client.GET('/api/dashboard/organisations/{tenantId}/{environment}/needs-action', { params: { path: scope } }),
      ),
    enabled: isOpen || error !== undefined,
  });
  const messages = new Map((data?.causes ?? []).map(({ code, message }) => [code, message]));
  if (error !== undefined && !messages.has(error)) messages.set(error, error);
  return (
    <Select
      label="Error"
      placeholder="Any"
      data={[...messages].map(([value, label]) => ({ value, label }))}
      value={error ?? null}
      onChange={(value) => onChange(value ?? undefined)}
      onDropdownOpen={() => setOpen(true)}
      nothingFoundMessage={<NothingFound text="Nothing needs action" />}
      searchable
      clearable
      w={190}
    />
  );
}
