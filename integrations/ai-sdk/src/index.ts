// The package contains a copy of the SDK, so `instanceof` works only with this class, not with the SDK's own.
export { WebhookVerificationError } from '@kinora/sdk';
export { KinoraTaskError } from './errors.ts';
export { createKinora, type KinoraProvider, kinora } from './kinora-provider.ts';
export type { KinoraVideoModelId } from './kinora-video-model.ts';
export type { KinoraProviderSettings } from './settings.ts';
export { version } from './version.ts';
export type { KinoraVideoOptions } from './video-options.ts';
