import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Scope } from '../../api/session';
import { needsActionQuery } from '../../parts/needs-action/query';
import { NothingFound } from '../../parts/nothing-found';

interface ErrorSelectProps {
  scope: Scope;
  error: string | undefined;
  onChange: (error: string | undefined) => void;
}

/** Filters by the first error of a document. The choices are the errors of documents that need action. */
export function ErrorSelect({ scope, error, onChange }: ErrorSelectProps) {
  const [isOpen, setOpen] = useState(false);
  const { data } = useQuery({ ...needsActionQuery(scope), enabled: isOpen || error !== undefined });
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
      nothingFoundMessage={<NothingFound text="No document needs action" />}
      searchable
      clearable
      w={190}
    />
  );
}
