import { Button, Select, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';
import { withoutEmpty } from '../address-query';
import { DayFilter, useFollowing } from '../day-input';
import { useAddressSearch } from '../use-address-search';
import { type AuditFilters, readAuditFilters, type Topic, TOPICS } from './search';
import { listActions } from './words';

const TYPING_MS = 300;

export function toAuditQuery({ about, actor, from, to }: AuditFilters) {
  const action = about === undefined ? undefined : listActions(about).join(',');
  return withoutEmpty({ action, actor, from, to });
}

interface AuditFilterInputsProps {
  topics: readonly Topic[];
  onChange: (changed: AuditFilters) => void;
}

/** Filters by topic, actor and date. Each filter is applied when it changes. */
export function AuditFilterInputs({ topics, onChange }: AuditFilterInputsProps) {
  const filters = withoutEmpty(readAuditFilters(useAddressSearch()));
  const { about, actor, from, to } = filters;
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <>
      <Select
        label="About"
        placeholder="Everything"
        clearable
        w={240}
        data={topics.map((topic) => ({ value: topic, label: TOPICS[topic] }))}
        value={about ?? null}
        onChange={(value) => onChange({ about: topics.find((topic) => topic === value) })}
      />
      <WhoInput actor={actor} isFiltered={isFiltered} onChange={onChange} />
      <DayFilter label="From" day={from} isFiltered={isFiltered} max={to} onDay={(day) => onChange({ from: day })} />
      <DayFilter label="To" day={to} isFiltered={isFiltered} min={from} onDay={(day) => onChange({ to: day })} />
      {isFiltered && (
        <Button
          variant="default"
          mt="auto"
          onClick={() => onChange({ about: undefined, actor: undefined, from: undefined, to: undefined })}
        >
          Clear the filters
        </Button>
      )}
    </>
  );
}

interface WhoInputProps extends Pick<AuditFilterInputsProps, 'onChange'> {
  actor: string | undefined;
  isFiltered: boolean;
}

function WhoInput({ actor = '', isFiltered, onChange }: WhoInputProps) {
  const [typed, setTyped] = useState(actor);
  const ask = useDebouncedCallback((text: string) => onChange({ actor: text.trim() }), TYPING_MS);
  useFollowing(actor, isFiltered, () => {
    if (typed.trim() === actor) return;
    ask.cancel();
    setTyped(actor);
  });
  return (
    <TextInput
      label="Who"
      placeholder="E-mail begins with"
      value={typed}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
        ask(currentTarget.value);
      }}
      // Applies the delayed change before the next action of the user.
      onBlur={() => ask.flush()}
    />
  );
}
