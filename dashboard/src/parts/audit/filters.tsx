import { Button, Select, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';
import { withoutEmpty } from '../address-query';
import { type AuditFilters, type Topic, TOPICS } from './search';
import { listActions } from './words';

const TYPING_MS = 300;

/** The filters as the API takes them. */
export function toAuditQuery({ about, actor, from, to }: AuditFilters) {
  const action = about === undefined ? undefined : listActions(about).join(',');
  return withoutEmpty({ action, actor, from, to });
}

interface AuditFilterInputsProps {
  topics: readonly Topic[];
  filters: AuditFilters;
  onChange: (filters: AuditFilters) => void;
}

/** What was done, who did it and when; each is applied as it is chosen. */
export function AuditFilterInputs({ topics, filters, onChange }: AuditFilterInputsProps) {
  const { about, actor = '', from, to } = filters;
  const [typed, setTyped] = useState(actor);
  const set = (changed: AuditFilters) => onChange(withoutEmpty({ ...filters, ...changed }));
  const setActor = useDebouncedCallback((text: string) => set({ actor: text.trim() }), TYPING_MS);
  return (
    <>
      <Select
        label="About"
        placeholder="Everything"
        clearable
        w={240}
        data={topics.map((topic) => ({ value: topic, label: TOPICS[topic] }))}
        value={about ?? null}
        onChange={(value) => set({ about: topics.find((topic) => topic === value) })}
      />
      <TextInput
        label="Who"
        placeholder="E-mail begins with"
        value={typed}
        onChange={({ currentTarget }) => {
          setTyped(currentTarget.value);
          setActor(currentTarget.value);
        }}
      />
      <TextInput
        type="date"
        label="From"
        value={from ?? ''}
        max={to}
        onChange={({ currentTarget }) => set({ from: currentTarget.value })}
      />
      <TextInput
        type="date"
        label="To"
        value={to ?? ''}
        min={from}
        onChange={({ currentTarget }) => set({ to: currentTarget.value })}
      />
      {Object.keys(withoutEmpty({ ...filters })).length > 0 && (
        <Button
          variant="default"
          mt="auto"
          onClick={() => {
            setTyped('');
            onChange({});
          }}
        >
          Clear the filters
        </Button>
      )}
    </>
  );
}
