import { Text } from '@mantine/core';
import { ButtonLink } from '../parts/links';
import { OtherUser } from './other-user';
import { PlainPage } from './plain-page';

export function NotFoundPage() {
  return (
    <PlainPage title="This page was not found">
      <OtherUser />
      <Text>The address is wrong, or it belongs to an organisation that you are not a member of.</Text>
      <ButtonLink to="/">Go to the start page</ButtonLink>
    </PlainPage>
  );
}
