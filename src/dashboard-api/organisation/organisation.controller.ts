import { Compressed } from '../../http/compression.js';
import { Body, Controller, Get, HttpCode, HttpStatus, Param, Patch, Post } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { type Environment, ENVIRONMENTS } from '../../config/environment.js';
import { LimitedAs } from '../../rate-limits/rate-limit.hook.js';
import { Access, CurrentMember, type Member } from '../session/access.js';
import { AppointmentService } from './appointment.service.js';
import { AppointmentDto } from './dto/appointment.dto.js';
import { OrganisationDto, ProfileChangeDto, ProfileDto } from './dto/organisation.dto.js';
import { OrganisationService } from './organisation.service.js';
import { readProfileChange } from './profile-body.js';

@ApiTags('Organisation')
@ApiParam({ name: 'tenantId', schema: { type: 'string', format: 'uuid' } })
@Controller('dashboard/organisations/:tenantId')
export class OrganisationController {
  constructor(
    private readonly organisations: OrganisationService,
    private readonly appointments: AppointmentService,
  ) {}

  @Get()
  @Compressed()
  @Access('viewer')
  @ApiOperation({ operationId: 'getOrganisation', summary: 'The profile, what is missing, and how far onboarding is' })
  @ApiOkResponse({ type: OrganisationDto })
  show(@CurrentMember() { tenantId }: Member): Promise<OrganisationDto> {
    return this.organisations.show(tenantId);
  }

  @Patch('profile')
  @Access('owner')
  @ApiOperation({ operationId: 'changeProfile', summary: 'Change fields of the profile, all of them or none' })
  @ApiBody({ type: ProfileChangeDto })
  @ApiOkResponse({ type: ProfileDto, description: 'The whole profile, normalised.' })
  change(@CurrentMember() member: Member, @Body() body: unknown): Promise<ProfileDto> {
    return this.organisations.change(member, readProfileChange(body));
  }

  @Post(':environment/appointment-check')
  @HttpCode(HttpStatus.OK)
  @Access('member')
  @LimitedAs('tinChecks')
  @ApiOperation({ operationId: 'checkAppointment', summary: 'Try to act for the organisation at the authority' })
  @ApiParam({ name: 'environment', enum: ENVIRONMENTS })
  @ApiOkResponse({ type: AppointmentDto })
  check(@CurrentMember() member: Member, @Param('environment') environment: Environment): Promise<AppointmentDto> {
    return this.appointments.check(member, environment);
  }
}
