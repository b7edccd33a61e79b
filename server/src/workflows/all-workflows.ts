// Do not import from this module: Temporal's bundler takes one file and registers every workflow that it exports.
export { deliverWebhook } from './deliver-webhook.ts';
export { generateVideo } from './generate-video.ts';
