import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';

/** Downloads a list as a file; `href` is the list's address at the API. */
export function CsvLink({ href }: { href: string }) {
  return (
    <Button component="a" href={href} variant="default" leftSection={<IconDownload size={16} aria-hidden />}>
      Download CSV
    </Button>
  );
}
