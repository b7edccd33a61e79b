import { phrases } from './phrases.ts';

/** Words that describe a thing and can be ignored without loss. They may stand between a number and its thing. */
export const adjectives: ReadonlySet<string> = new Set(
  [
    // how much, how far, how old
    'ancient background big bit bottom center centre close deep distance distant edge empty end entire far first',
    'foreground full giant great half high huge large last lone lonely long lot low massive middle narrow new old',
    'part piece shallow short single small solitary tall thick thin tiny top vast wet whole wide young',
    // praise and mood
    'amazing atmosphere atmospheric awesome beautiful beautifully bold breathtaking bright calm calmly charming clean',
    'color colored colorful colour coloured colourful cool cosy cozy crisp crystal dark dramatic dreamlike dreamy',
    'dynamic elegant ending endless epic ethereal faint fantastic fast fresh gentle gently glorious gorgeous graceful',
    'gracefully grand handsome idyllic incredible intense little lively lovely magic magical majestic mesmerizing',
    'mood moody multicolored multicoloured mysterious natural nature never nice pastel peaceful peacefully perfect',
    'playful pleasant poetic pretty pure quick quickly quiet quietly realism relaxing rich romantic scenic serene',
    'sharp silent silently simple slow slowly smooth smoothly soft softly spectacular speed steadily steady stunning',
    'sublime subtle surreal swift swiftly tranquil vibrant vivid warm whimsical wild wonderful',
  ].flatMap((line) => line.split(' ')),
);

/**
 * Stop words, which can be ignored without loss: grammar, praise, film-making terms, what every picture has, and how
 * things move in every picture. The reader ignores them without a warning. They are written as in the vocabulary: lower
 * case, no apostrophes, singular.
 */
export const stopWords: ReadonlySet<string> = new Set(
  [
    ...adjectives,
    // grammar
    'a about above across after again against all almost along also always am amid among an and another any are',
    'around as at away back backward backwards be because been before behind being below beneath beside besides',
    'between beyond both but by can closer could did do does down downward downwards each either else every',
    'everything for forever forward forwards from front had has have having he her here hers him his how i if in',
    'inside into inward inwards is it its just keep left leftward leftwards let lots me more most much my near',
    'nearby next now of off on once one only onto or other our out outside outward outwards over own per please right',
    'rightward rightwards same she should side so some something somewhere still such than that the their them then',
    'there these they this those through throughout till to together too toward towards under until up upon',
    'upward upwards us very via was we were what when where which while who whose will with within would yes you your',
    // film-making terms
    'amount angle animated animatic animation aspect b backdrop camera capture cinema cinematic cinematography clip',
    'composition create cut depth detail detailed draw drawing film filmic flat focus footage format fps frame',
    'generate handheld hd hdr highly hyperrealistic illustrated illustration image landscape lens lighting look loop',
    'looping make masterpiece minimal minimalist movie music photo photograph photography photorealistic picture',
    'point portrait pov professional quality ratio raw realistic render rendered resolution roll scene scenery',
    'sequence setting shot show showing shown style stylised stylized texture uhd ultra vector vertical video view',
    'vista widescreen',
    // what every picture has, or what follows from the rest
    'air bathed beam capped cast covered drenched filled glimmer glistening glow glowing ground horizon hour land',
    'light lined lit minute moment moon path place ray reflect reflected reflecting reflection road route season',
    'second shade shadow shimmer shimmering shine shining silhouette silhouetted sky soaked sparkle sparkling spot',
    'sun sunlight surface surrounded time track trail weather world',
    // how every subject and the camera move, and what they do unseen
    'appear approach arrive blowing come coming cross crossing cruise cruising emerge enter filmed flight follow',
    'following gaze gazing glide gliding go goes going journey lead leading leave leaving looking motion move movement',
    'moving pass passing past racing reach reaching reveal revealing rolling rush rushing see seen set shift shifting',
    'shot slide speeding stay take taken taking travel traveling travelling turn turning watch watching winding wing',
  ].flatMap((line) => line.split(' ')),
);

/** Phrases that mean nothing to the animatic, although their words would. */
export const stopPhrases = phrases(`
  clear view, copy space, couple of, crystal clear, day after day, depth of field, fish eye, negative space, one day,
  open space, time of day
`);
