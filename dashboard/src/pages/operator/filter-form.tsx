import { Button, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';

interface FilterFormProps<Name extends string> {
  fields: readonly { name: Name; label: string }[];
  values: Partial<Record<Name, string>>;
  onFilter: (values: Partial<Record<Name, string>>) => void;
}

/**
 * Text filters that are applied on submit, because a query of all organisations is too expensive for each keystroke.
 */
export function FilterForm<Name extends string>({ fields, values, onFilter }: FilterFormProps<Name>) {
  const apply = (form: HTMLFormElement) => {
    const data = new FormData(form);
    const texts: Partial<Record<Name, string>> = {};
    for (const { name } of fields) {
      const text = data.get(name);
      if (typeof text === 'string' && text.trim() !== '') texts[name] = text.trim();
    }
    onFilter(texts);
  };
  return (
    <search>
      <form
        key={JSON.stringify(values)}
        style={{ display: 'flex', flexWrap: 'wrap', gap: 'var(--mantine-spacing-sm)', alignItems: 'flex-end' }}
        onSubmit={(event) => {
          event.preventDefault();
          apply(event.currentTarget);
        }}
      >
        {fields.map(({ name, label }) => (
          <TextInput key={name} name={name} label={label} defaultValue={values[name] ?? ''} />
        ))}
        <Button type="submit" variant="default" leftSection={<IconSearch size={16} />}>
          Find
        </Button>
      </form>
    </search>
  );
}
