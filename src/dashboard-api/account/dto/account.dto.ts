import { PersonNameField } from '../../session/dto/session.dto.js';

export class RenameDto {
  @PersonNameField()
  name: string;
}
