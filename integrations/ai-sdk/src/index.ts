export { KinoraTaskError } from './errors.ts';
export { createKinora, type KinoraProvider, kinora } from './kinora-provider.ts';
export type { KinoraVideoModelId } from './kinora-video-model.ts';
export type { KinoraProviderSettings } from './settings.ts';
export { version } from './version.ts';
export type { KinoraVideoOptions } from './video-options.ts';
