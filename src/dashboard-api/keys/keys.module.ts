import { Module } from '@nestjs/common';
import { KeysController } from './keys.controller.js';
import { OrganisationKeysService } from './organisation-keys.service.js';

@Module({ controllers: [KeysController], providers: [OrganisationKeysService] })
export class KeysModule {}
