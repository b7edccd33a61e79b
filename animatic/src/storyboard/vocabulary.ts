import { phrases } from './phrases.ts';

/**
 * The words that the animatic understands: names, each with the words that people use for it, the plainest first. To
 * add a word, add it to a list here. A new name also needs its drawing, and the compiler says where. Write words in
 * lower case and the singular, without articles, and with spaces for hyphens: "close up" also matches "close-ups", and
 * "in fall" also matches "in the fall". The longest phrase wins, so "hot air balloon" leaves no "hot", and "crane shot"
 * is not a bird.
 */
export const vocabulary = {
  scenes: {
    mountains: phrases(`
      mountain, mountainside, mountainous, mountaintop, mountain range, peak, summit, ridge, alps, alpine, himalayas,
      rockies, hill, hillside, hilltop, highlands, foothill, valley, fjord, mountain lake, alpine lake
    `),
    sea: phrases(`
      sea, ocean, lake, beach, coast, coastline, coastal, shore, shoreline, seashore, seaside, seascape, harbour,
      harbor, bay, lagoon, pond, island, waterfront, clear water, open water, underwater, reef, coral reef
    `),
    forest: phrases(`
      forest, woods, woodland, wooded, jungle, rainforest, grove, taiga, thicket, pine forest, fall forest, clearing
    `),
    city: phrases(`
      city, cityscape, skyline, skyscraper, downtown, metropolis, urban, suburb, tokyo, new york, manhattan, london
    `),
    town: phrases('town, village, old town, old city, paris'),
    desert: phrases('desert, dune, sand dune, sahara, canyon, mesa, badlands, outback, wasteland, oasis, arid'),
    space: phrases(`
      space, outer space, planet, galaxy, cosmos, cosmic, universe, nebula, interstellar, asteroid, in orbit, into
      orbit, low orbit, earth orbit, planet earth, mars, jupiter, saturn, solar system, deep space, galactic
    `),
    abstract: phrases('abstract, abstraction, pattern, geometric, shape, geometry, kaleidoscope, gradient'),
  },
  times: {
    dawn: phrases(`
      dawn, sunrise, morning, daybreak, first light, early morning, rising sun, sun rise, sun rising, sun rose, sunup
    `),
    day: phrases('day, noon, midday, daytime, daylight, afternoon, broad daylight, sunlit, high sun'),
    dusk: phrases(`
      dusk, sunset, evening, twilight, golden hour, magic hour, blue hour, sundown, nightfall, setting sun, sun set,
      sun setting, late afternoon, afterglow, gloaming
    `),
    night: phrases(`
      night, midnight, nighttime, night time, moonlight, moonlit, nocturnal, starlit, night sky, after dark
    `),
  },
  weathers: {
    clear: phrases('clear, cloudless, clear sky, fair weather, blue sky'),
    clouds: phrases('cloud, cloudy, overcast, cloudscape, cloudy sky'),
    rain: phrases('rain, rainy, drizzle, downpour, rainfall, raindrop, shower of rain, monsoon, rain soaked'),
    storm: phrases('storm, stormy, thunder, lightning, thunderstorm, tempest, hurricane, rainstorm, typhoon'),
    snow: phrases('snow, snowy, snowfall, snowflake, snowstorm, blizzard, flurry, falling snow, snowdrift'),
    fog: phrases('fog, foggy, mist, misty, haze, hazy, murky'),
    stars: phrases(`
      star, starry, starlight, milky way, starry night, shooting star, falling star, constellation, star filled
    `),
    aurora: phrases('aurora, aurora borealis, northern lights, southern lights, polar lights'),
  },
  seasons: {
    spring: phrases('spring, springtime, blossom, cherry blossom, sakura, blooming'),
    summer: phrases('summer, summertime, midsummer'),
    autumn: phrases(`
      autumn, autumnal, autumn leaf, autumn leaves, in fall, fall colour, fall color, fall leaves, fall leaf, fall
      foliage, fall season, fall day, fall morning, fall evening, leaves falling, falling leaves
    `),
    winter: phrases('winter, wintry, wintertime, midwinter, frozen, frosty, icy, snow capped, snow covered'),
  },
  subjects: {
    boat: phrases(`
      boat, ship, sailboat, sailing boat, sailing ship, fishing boat, rowing boat, rowboat, yacht, canoe, kayak,
      ferry, raft, dinghy, vessel, schooner, gondola, galleon, catamaran, trawler, speedboat, steamboat, tugboat,
      paper boat, paper ship, origami boat, origami ship, cruise ship, pirate ship, cargo ship
    `),
    bird: phrases(`
      bird, seabird, songbird, gull, seagull, eagle, hawk, falcon, crane, swan, goose, geese, duck, owl, raven, crow,
      swallow, dove, pigeon, heron, stork, albatross, pelican, parrot, flamingo, sparrow, condor, puffin, kingfisher,
      flock, flock of birds
    `),
    car: phrases(`
      car, automobile, van, truck, taxi, cab, bus, lorry, jeep, convertible, pickup, suv, sports car, race car, racing
      car, vintage car, vehicle, campervan, camper van, roadster, sedan, limousine, pickup truck
    `),
    balloon: phrases('balloon, hot air balloon, air balloon, airship, zeppelin, blimp, dirigible'),
    person: phrases(`
      person, people, man, men, woman, women, girl, boy, child, children, figure, hiker, traveller, traveler,
      wanderer, walker, runner, jogger, explorer, astronaut, skier, surfer, human, lady, gentleman,
      pedestrian, pilgrim, monk, fisherman, dancer, tourist
    `),
    fish: phrases('fish, goldfish, koi, whale, dolphin, shark, salmon, trout, tuna, orca, school of fish'),
    train: phrases(`
      train, steam train, bullet train, freight train, railway, railroad, locomotive, steam engine, tram, streetcar,
      monorail
    `),
    rocket: phrases('rocket, rocket ship, spaceship, space ship, starship, spacecraft, shuttle, space shuttle'),
    cat: phrases(`
      cat, kitten, kitty, tomcat, pussycat, feline, tabby, tabby cat, tabby kitten, house cat, stray cat, alley cat,
      ginger cat, ginger kitten
    `),
    dog: phrases(`
      dog, puppy, pup, doggy, canine, hound, labrador, retriever, golden retriever, husky, shepherd dog, german
      shepherd, sheepdog, collie, border collie, sled dog, stray dog
    `),
    horse: phrases(`
      horse, pony, stallion, mare, foal, colt, filly, steed, racehorse, race horse, bay horse, chestnut horse, wild
      horse
    `),
    robot: phrases('robot, android, droid, humanoid, humanoid robot, automaton, cyborg, bot, mech, mecha'),
  },
  /** What the subject does, if it can: a boat does not sit down. */
  actions: {
    sit: phrases('sit, sat, seated'),
    stand: phrases('stand, stood, graze'),
    sleep: phrases('sleep, asleep, slept, nap, doze, snooze, lie, lying, curled up'),
    dance: phrases('dance'),
  },
  /** Things that a scene has only if the prompt names them; `featureScenes` says which scenes can have them. */
  features: {
    castle: phrases('castle, fortress, citadel, chateau, palace, castle ruin'),
    lighthouse: phrases('lighthouse'),
    rocks: phrases('rock, rocky, boulder, sea stack'),
    breakers: phrases(`
      breaker, breaking wave, crashing wave, pounding wave, wave crash, wave break, wave smash, wave pound, wave hit,
      wave hitting, wave splash, crashing surf, pounding surf, breaking surf, surf crash, sea crash, sea spray
    `),
    neon: phrases('neon, neon light, neon sign, neon lit'),
    paperBoat: phrases('paper boat, paper ship, origami boat, origami ship'),
  },
  cameraMoves: {
    pan: phrases('pan, panorama, panoramic, tracking shot, track shot, truck left, truck right'),
    tilt: phrases('tilt, pan up, pan down, crane shot, crane up, crane down, jib shot, pedestal shot'),
    zoom: phrases('zoom'),
    dolly: phrases('dolly, dolly shot, push in, pull back, pull out, camera push, camera pull'),
    orbit: phrases(
      'orbit, orbit shot, orbital shot, camera orbit, orbit camera, rotate around, arc shot, camera circle',
    ),
    aerial: phrases(`
      aerial, drone, drone shot, bird eye, bird eye view, from above, flyover, flythrough, top down, overhead shot,
      overhead view, helicopter shot
    `),
    closeUp: phrases('close up, closeup, macro, extreme close up, macro shot, tight shot, close shot'),
    slowMotion: phrases('slow motion, slowmotion, slow mo, slowmo, slomo, in slow motion'),
  },
  colours: {
    red: phrases('red, crimson, scarlet, ruby, vermilion, burgundy'),
    orange: phrases('orange, amber, copper, tangerine, peach, ginger cat, ginger kitten'),
    yellow: phrases('yellow, golden, gold, lemon yellow, ochre, golden retriever'),
    green: phrases('green, emerald, lime green, olive green, jade, mint green'),
    teal: phrases('teal, turquoise, cyan, aquamarine, aqua'),
    blue: phrases('blue, azure, indigo, navy, cobalt, sapphire'),
    purple: phrases('purple, violet, lavender, lilac, mauve, plum coloured, amethyst'),
    pink: phrases('pink, magenta, fuchsia, rose coloured, rose colored, rose pink, rose gold, dusty rose, coral'),
    white: phrases('white, silver, ivory, pearl white, cream coloured'),
    grey: phrases('grey, gray'),
    black: phrases('black, ebony, jet black, onyx'),
    brown: phrases('brown, chestnut coloured, chestnut colored, chestnut horse, bay horse, chocolate brown'),
  },
  /** Phrases that name the direction of a camera move. Single words such as "left" count only beside a camera word. */
  directions: {
    left: phrases('right to left, truck left'),
    right: phrases('left to right, truck right'),
    up: phrases('pan up, crane up'),
    down: phrases('pan down, crane down'),
    in: phrases('push in'),
    out: phrases('pull back, pull out'),
  },
} as const;

/** Words that suggest something without naming it. They count only if the prompt names nothing of that kind. */
export const hints = {
  scenes: {
    mountains: phrases('skier, hiker, hike, climb, climber, cliff, glacier, snow capped, cliffside'),
    sea: phrases('wave, water, surfer, surf, tide, fisherman, fishing, sail, ripple, seabird, snorkel'),
    forest: phrases('tree, pine, fir, leaf, leaves, foliage, autumn leaf, autumn leaves, sakura, falling leaves'),
    city: phrases(`
      street, avenue, boulevard, alley, alley cat, rooftop, building, roof, taxi, cab, bus, tram, streetcar,
      pedestrian, traffic
    `),
    desert: phrases('sand, sandy'),
    space: phrases('astronaut, earth, lunar, zero gravity, weightless'),
    abstract: phrases('swirl, fractal'),
  },
  times: {
    day: phrases('sunny, blue sky, sunshine, sunlight, sunbeam'),
    night: phrases(
      'moon, full moon, neon, neon light, neon sign, neon lit, starry night, firefly, streetlight, lamplight',
    ),
  },
  weathers: { clear: phrases('sunny, sunshine') },
  seasons: {
    summer: phrases('surfer, hot'),
    winter: phrases('skier, ice, frost, glacier, cold, snowflake'),
  },
  subjects: {
    boat: phrases('sail, paddle, rowing'),
    car: phrases('drive, highway'),
    person: phrases('hike, stroll, couple'),
    rocket: phrases('liftoff, blast off'),
  },
} as const;

/** Things that are not drawn but imply a scene. They choose the scene, and are still reported as not understood. */
export const landmarks = {
  mountains: phrases(
    'cabin, waterfall, goat, hot spring, mountain spring, volcano, meadow, field, countryside, farm, stream, river, brook',
  ),
  sea: phrases('mermaid, jellyfish, octopus, seahorse, sea horse, palm, pier, submarine, iceberg, seal, penguin'),
  forest: phrases('deer, fox, bear, wolf, squirrel, mushroom, spring water, natural spring, treehouse, park, garden'),
  city: phrases('tower, market, cafe, window, construction crane, tower crane, cyberpunk, subway, office, hot dog'),
  desert: phrases('camel, cactus, pyramid, cowboy, scorpion, caravan'),
  space: phrases('satellite, alien, ufo, space station, black hole, comet, supernova, meteor'),
} as const;

/** The scenes that can have a feature, the usual one first. A boat can be of paper wherever there are boats. */
export const featureScenes: Readonly<Record<FeatureName, readonly SceneName[]>> = {
  castle: ['mountains', 'sea', 'town'],
  lighthouse: ['sea'],
  rocks: ['mountains', 'sea', 'desert'],
  breakers: ['sea'],
  neon: ['city'],
  paperBoat: ['sea', 'mountains', 'city', 'town', 'forest', 'desert', 'space', 'abstract'],
};

/** The words above that are also verbs. These are matched with -ing and -ed too, the others only in the plural. */
export const verbs = phrases(`
  break, circle, climb, cloud, crane, crash, dance, dolly, doze, drive, drizzle, graze, hike, nap, orbit, paddle, pan,
  pound, pull, push, rain, rotate, sail, sit, sleep, smash, snooze, snow, splash, stand, stroll, surf, tilt, truck, zoom
`);

export type SceneName = keyof typeof vocabulary.scenes;
export type TimeName = keyof typeof vocabulary.times;
export type WeatherName = keyof typeof vocabulary.weathers;
export type SeasonName = keyof typeof vocabulary.seasons;
export type SubjectName = keyof typeof vocabulary.subjects;
export type ActionName = keyof typeof vocabulary.actions;
export type FeatureName = keyof typeof vocabulary.features;
export type CameraMoveName = keyof typeof vocabulary.cameraMoves;
export type ColourName = keyof typeof vocabulary.colours;
