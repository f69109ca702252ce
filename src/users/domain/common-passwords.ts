/**
 * Passwords and words that are guessed first, in lower case. Those that differ only by what `password-policy.ts` sees
 * through (digits and punctuation around them, digits for letters, repetitions, keyboard walks) are left out.
 */
export const commonPasswords: ReadonlySet<string> = new Set(
  `
102030 10203040 11112222 111222 111222333 112233 11223344 1122334455 123123 123321 12341234 12344321 123454321
12345678910 123456789a 123456a 123456abc 123456q 123654 123654789 123abc 123qwe 1314520 143143 14344 147147 147258
147258369 147852 147852369 159357 159753 159951 246810 271828 27182818 2pac 2pacshakur 314159 31415926 314159265
456456 50cent 5201314 520520 741852 741852963 753951 786786 786allah 789456 789456123 852456 951753 963852 963852741
a123456 a12345678 a123456789 a1b2c3 a1b2c3d4 a1b2c3d4e5 aa123456 abc123 abc12345 abc123456 abc123abc abcabc abigail
abracadabra access accord account accountant accounting accounts acdc acmilan acura admin adminadmin administrador
administration administrator adminpassword adminuser adrian adriana adrienne aerosmith africa african agent007
aini1314 airborne airbus airforce airjordan airplane ajax alabama aladdin alaska albania alberto alchemist alejandra
alejandro alessandro alexander alexandra alexandre alexandria alexis alfaromeo alfredo algeria algerie alhamdulillah
alibaba alicia alien aliens allahuakbar alligator allison allmine allstar almighty alpha alphabet alphabravo
alphaomega always alwaysandforever alyssa amanda amazing amazon ambassador amber ambulance amelia america american
americanidol amigas amigos amorcito amoremio amoreterno amour amsterdam anaconda anakin anarchy anastasia anatomy
anderson andrea andrew android angel angela angelbaby angeleyes angelica angelina angelique angelito angelo angels
angelsangels anjing ankara anne annette anonymous antarctica anthony antoine antonella antonio antwerp anybody anyone
anything apollo apple applepie apples april aquarius aragorn archangel archery architect architecture argentina
arielle aries aristotle arizona armando army armyarmy arsenal arsenalfc arthur artillery artist artistic arturo
artwork arzt asd123 asd123456 asdfasdf asdfjkl asdqwe123 ashlee ashley aslan assassin assassins assassinscreed asshole
assholes asteroid astonvilla athens athletics atlanta atlantis atletico attitude aubrey audi audia4 august augustin
augustus aurelie aussie austin austintexas australia austria autumn avatar avengers aviation awesome awesomeness
axlrose baby123 babybaby babyblue babyboy babycakes babydoll babyface babygirl babylove bacardi backpack backspace
backstreet backstreetboys bad123 badass badboy badgirl bailey ballerina ballet balloon balloons baltimore bambam bambi
bamboo banana bananas bandit bandits bandung bangalore bangkok bangladesh banker banking barbara barbarian barbie
barbiegirl barcelona barney bart bartsimpson baseball basketball bassman bassplayer bastard batgirl bathroom batista
batman batmanbegins battery bayern bayernmunich baywatch bazinga bball beach beachboy beachbum beaches beagle bear
bears beatles beatrice beatriz beautiful beautifulday beauty beaver beckham bedroom beer beerbeer beethoven beijing
belfast belgique belgium belieber believe believer bellacullen belmont beloved bender bendicion benfica bengals
benjamin beograd berlin bernadette bernard bertha besiktas bestfriend bestfriends beta betabeta bettyboop beyonce
bianca bicycle bieber bienvenue bigbang bigbangtheory bigbear bigbird bigboss bigboy bigbrother bigdaddy bigdog
bigfoot biggie biggun bigmac bigman bigmoney bigpimpin bigred bigsexy biker biking bilbo billiards billionaire biology
birdie birthday biscuit biscuits bismillah bitch bitches black blackberry blackbird blackblack blackcat blackdog
blackhawk blackhawks blackjack blackknight blackmagic blackmamba blackout blackpearl blackrose blacksabbath blackstar
blackwhite blackwidow blah123 blahblah bleach blessed blessing blessings blink182 blink182a blinky blizzard blossom
blue blueangel bluebell blueberry bluebird blueblue bluedevil blueeyes bluejays bluemoon blues bluesky bluestar blur
bmw bmw325i bmwbmw bmwm3 bobbie bobbob bobby bobcat bobmarley bocajuniors boeing bolivia bollocks bonbon bond007
bonita bonjour bonjovi bonnie boobear booboo boogie bookmark books bookworm boomer bordeaux boricua borussia bosnia
boss123 bossbaby bossboss bossman boston bottle bountyhunter bowling bowwow boxer boxing boyfriend boys bradley
brandon brandy brasil brasileiro brasilia bratislava braveheart bravery braves brazil breakingbad brenda brendan brian
bridget brilliant brisbane britney britneyspears brittany brittney broccoli broken brokenheart broncos brooklyn
brother brothers brownie brownies browns bruins bruno brussels bubba bubbagump bubble bubblegum bubbles bubblez
buccaneers bucuresti budapest buddha buddhism buddy buddyboy buddylove budlight budweiser buffalo buffy bugatti
bugsbunny bulgaria bulldog bulldogs bullet bulletproof bullets bullfrog bulls bullshit bumblebee bumper bunny
bunnyrabbit burger burgerking burgers burning burrito business businessman buster butter buttercup butterfinger
butterflies butterfly butterscotch button buttons buzzlightyear cactus cadillac caesar cairo calculator calendar
california callofduty calvin calvinklein camaro camaross camera cameron camping campus camry canada canadian canadiens
cancer candice candle candles candy candycane candyland cannabis canon cappuccino capricorn captain captainamerica
captainjack captainkirk caramel cardiff cardinal cardinals cardiologist cardiology carecare caregiver careteam carlos
carlsberg carnival carolina caroline carpenter carrots cartel cartman cartoon cartoons casablanca cash cashmoney
casino casinoroyale casper cassandra cassidy cassie castle castles catcat catdog caterpillar cathedral catherine
catholic catlover catwoman cavaliers cavalry cecilia celebrity celestial celica celine cello cellphone celtic celtics
century cerner chair chairman challenger chameleon champagne champion champions chandler chandra changeit changeme
changepassword changethis chaos charger chargers charisma charizard charles charlie charlotte charmed charting cheer
cheerleader cheerleading cheers cheese cheeseburger cheesecake cheesy cheetah chelsea chelseafc chelsey chemistry
chennai cherokee cherries cherry cherryblossom chester chevelle chevrolet chevy chewbacca chewie cheyenne chicago
chicagobulls chicken chickens chihuahua children chile chileno china chinese chipmunk chipper chiquita chocolat
chocolate chocolates chouchou christ christian christianity christina christinaaguilera christine christmas
christopher chrome chronic chronicle church ciao ciaociao cincinnati cinderella cinnamon cintaku circus cisco
ciscocisco citizen citroen civic clarence clarinet classic classics classified classmate classof classroom claudia
clayton clemson cleopatra cleveland clifford clinic clinical clinician cloud clouds cloudstrife clover clown clowns
clueless cmpunk cobalt cobra cocacola coco coconut coconuts coffee coffeecup coldbeer coldplay collection college
collins colocolo colombia colombiano colonel colorado colorful colors colts columbus combat comedy comet comfort
comics commander commando commandos company complete complex computer computers conan concert concrete condor
confidential confused connect connection connor conqueror conrad constantine contact content contrasena contraseña
control controller cookie cookiemonster cookies cooking cool123 coolcat coolcool cooldude cooler coolgirl coolguy
coolio coolman cooper copenhagen copper coral corazon corinthians corleone cornwall corolla corona coronavirus
corporal corporate correct correcthorsebatterystaple corvette cosmic cosmo cosmos costarica cottage cotton coucou
cougar cougars counter counterstrike country countryboy countrygirl courage courtney cousin covid19 covid2019
covid2020 cowabunga cowboy cowboys cowgirl cracker craft crazy crazyboy crazycat crazyfrog crazygirl crazyman creation
creative creator creature creepy cricket crimson cristian cristiano cristianoronaldo cristina croatia crocodile
crossfire crossroads crow crown crusader crusaders crusher crystal crystals cuba cubano cubbies cubs cuddlebug cuddles
culture cupcake cupcakes curious custom customer cute123 cutegirl cutie cutiepie cyber cyberpunk cyborg cycling
cyclone cyclops cynthia czech dachshund daddy daddygirl daddysgirl daenerys dagger daisies daisy daisymae dakota
dale03 dale3 dallas dallascowboys damage dancer danceteam dancing danger dangerous daniel danielle danmark danny
darkangel darkknight darklord darkness darkside darling darthvader darwin database daughter david davidbeckham
davidson daytona deadhead deadly deadman deadpool death deathmetal deathnote deathrow debian december decision
deeppurple deerhunter default defaultpassword defleppard delhi delicious delight delta deltaforce demilovato demo
democracy demodemo demon demouser denmark dental dentist dentistry denver depression derrick desert design designer
desktop desperado desperate destination destiny destroyer destruction detective detroit deuseamor deusefiel deusébom
deutschland developer devil666 dexter diablo diamond diamonds dickhead dictionary diehard digimon digital dinosaur
dinosaurs dios diosesamor diploma diplomat director dirtbike disaster disco discord discovery disney disneyland
disneyprincess disneyworld divine divorce doctor doctors doctorwho dodge dodger dodgeram dodgers dog123 dogdog doggie
doggy doggydog doglover doktor dollar dollars dollyparton dolphin dolphins domain dominic dominican dominicana
dominique domino dominoes donald donaldduck donkey donovan dontforget doom doritos dorothy dortmund dota doudou
doughnut douglas downtown dragon dragonball dragonballz dragonfire dragonfly dragonforce dragonlord dragons
dragonslayer drdre dream dreamer dreamers dreamgirl dreaming dreamland dreams dreamteam drogba drpepper druid drummer
drums dubai dublin ducati duchess duck duckling ducky dude dudedude duder dumbass dumbledore dumbo duncan dundee
dungeon duracell dustin dusty dynamic dynamite dynamo dynasty eagle eagles earnhardt earthquake easter eastside ebay
echo eclipse economics economy ecuador edgehead edinburgh edison editor eduardo education edward edwardcullen eeyore
egypt eindhoven einstein eldorado election electra electric electrician electricity electronic electronics element
elementary elements elephant elephants elevator elisabeth elite elizabeth ellada elsalvador elvis elvispresley emerald
emergency emergencyroom eminem emmanuel emo emoboy emogirl emotion emperor empire enchanted enchilada endlesslove
energy engineer engineering england english enigma enjoy enjoylife enrique enter enterpassword enterprise
entertainment entrance entropy envelope envision epic epiphany equinox eragon ernesto escape escort esmeralda espana
esperanza espresso essence esteban estrella eternal eternity ethiopia europe european evanescence evangeline
evangelion everest evergreen everlast everlasting everton everybody everyone everything evolution example examples
excalibur excellence excellent excelsior exchange excite exclusive executive exodus expert explorer express extra
extreme f16falcon fabulous facebook fairies fairy fairytale faith faithful falcon falcons fallen fallenangel fallout
falloutboy familia familie family familyfirst familyguy famous fanatic fantasia fantastic fantasy farmer farming
fashion fashionista fatass father fcporto fearless feather february federer federico felicia felicity feline felipe
felix fender fenerbahce fenway fernanda fernando ferrari festival feyenoord fhir fhirfhir fiat fiction fiesta figaro
fighter fighting filter finalfantasy finance findingnemo finger fingers finish finland fire fireball firebird
firefighter firefire firefly firefox fireman firewall fireworks firstlove firsttime fish fishbone fisherman fishhead
fishing fitness flame flamenco flamengo flames flamingo flanders flash fletcher flintstones flipper floppy florence
florida flower flowerpower flowers flute flyaway flyers flying focus foobar foofighters foolish fools football
footballer ford fordf150 forest forever foreverandever foreverlove foreveryoung forget forgetful forgetit forgetme
forgot forgotpassword forgotten formula fortnite fortress fortune forward forzainter forzajuve forzanapoli forzaroma
fountain foxtrot foxy foxyfoxy foxylady fraggle framework france francesca francesco francisco frankfurt franklin
freak freaky freckles freddie freddiemercury frederic frederick free freebird freedom freelance freeman freestyle
freeuser freeway freezer freezing french frenchfry freunde friday friend friendly friends friendsforever friendship
friendster frisbee frisky frodo frog123 frogger froggy frogs frozen fruehling fruit fruitcake fucker fuckers fuckface
fucking fuckit fuckme fuckoff fuckthis fuckyou fugitive fullmetal fullmoon function funfun funky funkymonkey funkytown
funny funnyguy funtime furniture fusion fussball futbol futurama future futures gabber gabriel gabriela gabriella
gabrielle galatasaray galaxies galaxy galileo gambit gambler game123 gameboy gamecube gamemaster gameofthrones
gameover gamer games gamma gandalf ganesha gangsta gangster ganster garden gardener gardening gardens garfield
gargoyle garrison garthbrooks gasoline gatehouse gateway gathering gator gators gdansk geheim gemini gemstone general
geneva genius gentle gentleman geography geology georgia gerald geraldine gerardo gerbil german germany geronimo
gerrard gesundheit ghana ghost ghostbusters ghostrider giant giants giggles ginger gingerbread giovanni giraffe girl
girlfriend girlie girlpower girls girlsrule girly gizmo gladiator glamour glasgow glitter global gloria glory gmail
goalkeeper goat goblin godbless godblessme godchild goddess godfather godisgood godisgreat godislove godsgift goku
gold goldberg golden goldeneye goldfinger goldfish goldie goldmine goldstar golf golfball golfer golfgolf golfgti
golfing gollum gonzalo goober goodboy goodbye goodgirl goodies goodlife goodluck goodmorning goodness goodnight
goodtimes google googleplex gopher gordon gorgeous gorilla goth gothic grace graceland gracie graciela gracious
graduate graduation grandam grandfather grandma grandmother grandpa grandtheftauto granite grape grapes graphics
grateful gratitude gravity great123 greatest greatness greece green greenapple greenbay greenday greeneyes greengreen
greentea greentree gregory gremio greyhound griffin gringo grizzly groovy gryffindor gryphon gtasanandreas guadalupe
guardian guatemala guest guestguest guestuser guillaume guillermo guinness guitar guitarhero guitarist guitars gumball
gunit gunner gunners guns gunsnroses gustavo guten gutentag gymnast gymnastics gypsy hacker hackers hacking haha123
hailey halflife hallelujah hallo hallohallo halo hamburg hamburger hamilton hamlet hammer hammers hammertime hamster
handball handsome handyman hannah hannahmontana hannibal hanoi hansolo happiness happy happybirthday happyday
happydays happyface happyfeet happygirl happyhappy happylife happyme hardcore hardrock hardware hardwork harekrishna
harley harleydavidson harleyquinn harmony harold harrison harrypotter harrystyles harvard harvest haslo hasło hawaii
hawaiian hawk hawkeye hawks headache health healthcare healthcenter healthy heart heartbeat heartbreak heartbreaker
heartless hearts heat heather heaven heavenly heavymetal hedgehog heights heineken heisenberg hejhej hejsan helena
helicopter hellas hellboy hellfire hello hellohello hellokitty hellokity helloo hellothere helloworld hellraiser
helpdesk helping helpme helsinki hemligt hendrix henry herbert herbst heritage hermione hermosa hernandez hero heroes
heslo heythere hi hideaway highland highlander highschool highschoolmusical highway hillary hillside hinata hindustan
hiphop hiphopper hippie hippo history hitchcock hitman hl7hl7 hobbit hockey hoffnung hogwarts hola holahola holiday
holidays holland hollister holly hollywood homeboy homegirl homeland homeless homepage homer homersimpson homerun
homestead homesweethome homework homie honda hondacivic honduras honesty honey honeybear honeybee honeybun honeybunny
honeymoon hongkong honolulu hooters hope hopeful hopeless horizon hornet hornets horse horselover horseman horses
hospital hospitals hotboy hotchick hotchocolate hotdog hotdogs hotel hotgirl hotgirls hothot hotmail hotmama hotrod
hotshot hotstuff hottie house household housewife houston howard howareyou howdy hrvatska hufflepuff hugs
hugsandkisses hulk hulkhogan hulkster humberto humble hummer hummingbird hungary hungergames hunter hunters hunting
hurricane hurricanes husband husky hustler hydra hyundai iamcool iamgod iamlegend iamme iamtheman iamtheone iceberg
icecold icecream icecube icehockey icehouse iceland iceman ichigo ichliebedich identity idiot idiots idontcare
idontknow idontremember idunno iforget iforgot ignacio ihateyou ihavenopassword illuminati illusion ilovecats
ilovechocolate ilovedogs ilovefootball ilovegod iloveher ilovehim iloveit ilovejesus iloveme ilovemom ilovemum
ilovemusic ilovemycat ilovemydad ilovemydog ilovemyfamily ilovemykids ilovemymom ilovemyson ilovemywife ilovesex
ilovethis iloveu iloveus iloveyou iloveyoubaby iloveyousomuch imagination imagine imissyou immortal immortality impact
impala imperial impossible impreza incorrect incredible independence independent india indian indiana indianajones
indians indigo indonesia industry ineedyou infantry inferno infinite infiniti infinity information infrared ingrid
initial initialpassword inshallah inspector inspiration inspire inspired instagram instant instinct insurance integra
integrity intelligence interior intermilan international internet interoperability intranet intrepid inuyasha invader
investor invincible invisible iphone iran iraq ireland irish irishman ironhorse ironmaiden ironman isabel isabella
isabelle isaiah islamabad island islander islands israel istanbul itachi italia italiana italiano italy itisme itsme
iverson iwantyou izmir jackass jackdaniel1 jackdaniels jackie jackpot jackson jacksparrow jacob jacqueline
jagermeister jaguar jaguars jaimatadi jakarta jamaica jamaican james jamesbond jammer january japan japanese jasmin
jasmine jason jasper javascript javier jayz jazz jazzman jazzy jeanette jedi jediknight jedimaster jeep jeepjeep
jeffhardy jeffrey jelly jellybean jellybeans jellyfish jelszo jennie jennifer jenniferlopez jenny jeremiah jeremy
jerome jersey jerusalem jesse jessica jessie jester jesucristo jesus jesuschrist jesusfreak jesusislord jesuslovesme
jesussaves jetaime jetski jewel jewelry jewels jigsaw jimbo jimbob jimihendrix jimmorrison jimmy jingle jingles jlo
joanna joaquin jocelyn johnathan johncena johndeere johndoe johnjohn johnlennon johnniewalker johnny johnnycash
johnsmith johnson joker jokerjoker jokers jonasbrothers jonathan jonathon jonsnow jordan jorge joseph josephine joshua
journal journey joyful joyjoy juanita judo juicy juicyfruit julian juliana juliette juliuscaesar july jumanji jumper
june junebug jungle junior juniper junkie jupiter jurassic jurassicpark justdoit justforfun justforme justice justin
justinbieber justme juventus kakashi kangaroo kansas kanyewest karachi karaoke karate karma katasandi katelyn
katherine kathleen kathryn katniss katrina katyperry kawasaki keepcalm keepout keepsmiling kelly kelsey kenneth kenny
kentucky kenworth kenya kermit kevin keyboard keystone kickass kickbutt kicker kidrock kiev kilimanjaro killall
killbill killer killerbee killers killjoy killme kimberly kindergarten kingdom kingdomhearts kingfish kingking
kingkong kingpin kings kingston kiss kisses kisskiss kissme kissmyass kitchen kitten kittens kitty kittycat kittykat
kittykitty kiwi klingon klondike knicks knight knightrider knights knock knockknock knowledge knuckles koala kobe
kobebryant kochamcie kochanie kodiak koeln kolkata konnichiwa korea korean korn kosovo krakow krankenhaus krasota
krishna kristen kristin kristina kristine krypton kryptonite kungfu kurtangle kurtcobain kuwait laboratory labrador
lacrosse ladies lady ladybird ladybug ladygaga ladygirl lagos lahore lakers lakeside lamb lamborghini lampard lancelot
lancer lancerevo landlord language lantern laptop laser laserjet lastchance lasvegas latina latinlover latino laughing
laughter lauren laurence lavalamp lavender lawrence lawyer lawyers lazio leader leadership leagueoflegends learning
leather lebanon lebron lebronjames ledzep ledzeppelin leeds leedsunited legacy legend legendary legends legolas lemon
lemonade lemons lennon leo leonard leonardo leopard lestat leticia letmein letmeinnow letmeinplease letter letters
leviathan lexmark lexus liberal liberty libra librarian library license liebe liebling lieutenant lifeguard lifeisgood
lifeline lifestyle lifetime lightbulb lighter lighthouse lightning lightyear lilies lille lillian lilly lilostitch
lilwayne lily limited limpbizkit lincoln lindsay lindsey linkedin linkin linkinpark linuxlinux lion lionelmessi
lioness lionheart lionking lions lipstick liquid lisboa lisbon listen literature little littlebit littleboy littlegirl
littleman littlemermaid littleone liverpool liverpoolfc lizard loading lobster local lockdown lockerroom locksmith
logical login loginlogin logitech logmein lol123 lolcats lolita lollipop lollol lolol london londoner lonely lonelyboy
lonestar lonewolf longbeach longhorn longhorns looneytunes loophole lordoftherings loremipsum lorena lorenzo lorraine
losangeles losenord loser losers lostpassword lottery lotus louis louise louisiana louisvuitton loulou lovable love123
love1234 lovebird lovebirds lovebug lovehate lovehurts loveislife loveless lovelife lovelove lovely loveme lover
loverboy lovergirl lovers lovestory loveyou lubimaya lucas lucia lucifer lucille lucinda lucky luckyboy luckycharm
luckydog luckyluke luckyman luckyone luckystar ludovic luffy luigi lukeskywalker lullaby lumber lunatic luscious
luther lyon macaroni macbeth macbook macedonia macgyver machine macintosh mackenzie madagascar madeleine madeline
madhouse madison madmax madness madonna madrid maestro mafia magazine magenta maggie magic magical magician magicman
magnet magnetic magneto magnificent magnolia magnum mahalkita mahalko makaveli makayla makeitso makemoney malachi
malaysia malibu mallorca mamamia mamapapa mammamia man manager manchester manchestercity manchesterunited mandolin
mandy123 mango mangoes manhattan maniac manifest manila mankind manman manson manunited manutd maple mapleleafs
maradona marathon marble marbles marcela marcelo march marcus margaret margarita marguerite marhaba maria mariachi
mariah mariana marianne maribel marie marigold marijuana marilyn marina marine mariners marines mario mariposa marisol
marissa market marketing marlene marley maroc maroon married mars marseille marshall marshmallow martha martial martin
martina martinez martini marvel marvin mascot maserati massacre massage massive master masterchief masterful masterkey
mastermind masterpass masterpassword masters mastiff material mathematics matrimony matrix matthew maurice mauricio
maverick mavericks max123 maxime maximum maximus maxwell may mayday mayhem maytheforcebewithyou mazda mazdarx7
mcdonald mcdonalds mcgyver meadow meandyou meathead mechanic mechanical medallion medicaid medical medicalrecords
medicare medication medicina medicine medico meditation meditech medusa megadeth megaman megan megatron melanie
melbourne melinda melissa melody member memorial memories memory memphis mental mentor mercedes mercedesbenz merchant
mercury meredith merlin mermaid mermaids messenger messi metal metalhead metallica meteor metro mets mexican mexicano
mexico miami miamiheat miamor michael michaela michaeljackson michaeljordan michelangelo michelle michigan mickey
mickeymouse mickjagger microphone microscope microsoft microwave middle midnight mighty migration miguel mikey milan
milano mileycyrus military milk milkman milkshake milkyway millennium miller millhouse million millionaire millions
millwall minecraft minister ministry minnesota minnie minniemouse minotaur miracle miracles miranda mischief misiaczek
misiek mississippi mistress mitchell mitsubishi mittens mivida mobile mocha mochi model modelo modern modernwarfare
mohamed mohammad mohammed molly momanddad momdad moment mommy mommysgirl monamour monarch monday money moneybags
moneymaker moneyman moneymoney monica monique monitor monkey monkeyboy monkeybutt monkeyman monkeys monopoly monster
monsters montana montecarlo monterey montgomery montreal monument moocow mookie moomoo moonbeam moonlight moonmoon
moonshine morgan morning morocco moron morpheus morrison mortal mortalkombat moscow moskva mosquito motdepasse mother
motherfucker motherlode motivation motleycrue motocross motor motorbike motorcycle motorola mountain mountaindew
mountains mouse mousepad movies mozart mudvayne muenchen muffin muffins muhammad mulder mumbai munich muppet murder
murphy muscle museum mushroom mushrooms music musica musical musician musiclover mustang mustanggt mustangs mustard
mutant myangel mybabies mybaby myboy myboys mycat mycats mychart mychildren mydear mydog mydogs myfamily mygirl
mygirls myhealth myheart myhero myhome myhusband mykey mykids mylady mylife mylord mylove mymusic myname mynameis
mypass mypassword mypc myportal myprincess mysecret myself myspace mysqladmin mysterio mysterious mystery mystic
mystical mystique mystuff mywife myworld nachos nacional nadal nairobi nala namaste nancy nantes napoleon napoli
narnia naruto narutouzumaki nascar nastya natalia natalie natasha nathalie nathaniel national native natural nature
naughty nautilus navigator navy navyseal navyseals nebraska nebula necklace nederland neighbor nemesis nemo neo123
nepal neptune nestor netflix nets network networking networks neurology never neveragain neverever nevergiveup
neverland nevermind newcastle newjersey newlife newman newmoon neworleans newpassword newport newstart newton newuser
newworld newyear newyears newyork newyorkcity newzealand nextdoor neymar nicaragua nicholas nicolas nicole nigeria
nightfall nighthawk nightingale nightlife nightmare nightowl nightshade nighttime nightwish nihao nikita nimbus
nineteen ninja ninjas nintendo nirvana nissan noaccess nobody nocturne noelle nokia nonsense noodles nopassword
nopasswordneeded norge norman northern northside northstar northwest norway nosecret nosecrets nostalgia notebook
nothing notorious nounours november novembre nowhere nsync number numberone numbers nurse nurses nursing nursinghome
nutella nutmeg oakland oaktree oasis oblivion obsession ocean oceans oceanside october octopus odyssey office official
offroad offspring oklahoma oldman oldschool oldtimer oliver olivia olympia olympiakos olympic olympics olympus omega
omglol omgomg omsairam oncology oneandonly onedirection onelove onepiece onetwothree online openopen opensesame
openthedoor openup operation operator optimist optimistic optimus optimusprime oracle orange oranges orca orchestra
orchid orchids oreo organic origami original orioles orlando orthodontist osaka oslo ottawa ourpassword outback
outdoors outkast outlaw outlaws outlook outside overkill overload overlord oxford oxygen ozzy666 pacific packard
packers pacman paddle painter painting pakistan palace palermo pallmall palmeiras paloma pamela panama panathinaikos
pancake pancakes pancho panda pandabear pandemic pandemonium pandora panorama pantera panther panthers panzer papamama
papillon papito paradigm paradise paradox paragon paraguay parakeet paramedic paramedics paramore paramount paris
parisien parker parliament parol parola parool parrot partner party partyboy partygirl partytime pass passat passcode
passenger passion passkey passmaster passme passord passpass passphrase passwoord password passwordistoolong
passwordpassword passwordreset passwords passwort pastor patches pathfinder patience patient patientportal patients
patrice patricia patrick patrickstar patriot patriots paulina paulmccartney pavilion pavlov paypal peace peaceandlove
peaceful peacelove peaceout peaches peacock peanut peanutbutter peanuts pearljam pebbles pediatric pediatrics pegasus
pele pelican peluche pencil penelope penguin penguins pentagon pentagram penthouse pentium people peoples pepper
pepperoni peppers pepsi pepsicola perfect perfection perfecto perfume peridot periwinkle persia persian personal peru
peruano peter peterpan petunia peugeot phantom pharaoh pharma pharmacist pharmacy philadelphia philippe philippines
phillies phillip philosophy phoenix phone photo photograph photographer photography photos photoshop physical
physician physicians physics physiotherapy piano pianoman picasso pickle pickles picture pictures pigeon piggy piglet
pikachu pilgrim pilgrims pilipinas pilot pimp pimpdaddy pimpin pineapple ping pingpong pink pinkfloyd pinklady
pinkpanther pinkpink pinky pinnacle pinocchio pinoy pinoyako pioneer pipeline pirate pirates piratesofthecaribbean
pisces pistol pistons pittsburgh pizza pizzahut pizzapizza plasma plastic platinum plato platypus playball playboy
player players playgirl playstation playtime please pleaseletmein pleasure plumber pluto plymouth pocahontas pocket
podium poetry poison pokemon poker pokerface poland polarbear polaris police policeman polish politics polopolo polska
pompey pontiac pony poodle poohbear pookie pookiebear poop poopface poophead poopoo poopy popcorn popeye poppop poppy
popsicle popstar popular porcupine porkchop porsche porsiempre portable portal portland porto portugal poseidon
positive possible postcard postgres postgresql postman postmaster potato potatoes potential pothead potter power
powerful powerhouse powerpower powerranger powerrangers powers practice practitioner prague prayer preacher precious
predator prelude premier premium present president presidente pressure presto preston pretender pretty prettyboy
prettygirl prettyinpink prettyme prettywoman pretzel primetime primrose prince princesa princesita princess
princessleia princeton principal print printer printing priority priscilla prison prisoner privacy private privet
privilege problem process prodigy producer production professional professor profile profit program programmer
programming progress project projects promise promises property prophecy prophet prosper prosperity protected protocol
prototype providence province psychiatrist psychiatry psycho psychology psychotic public publish puddles puertorico
puma pumba pumpkin pumpkins punisher punk punkin punkrock punkrocker puppies puppy puppydog puppylove purple
purplehaze purpleheart purplerain pussies pussy pussycat pyramid pyramids python q123456 q1w2e3 q1w2e3r4 q1w2e3r4t5
q1w2e3r4t5y6 qatar qazwsx qazwsxedc qazwsxedcrfv qazxsw qazxswedc qq123456 quake quality quantum quarantine quarter
quarterback quebec queen queenbee queenie question questions quick quickbrownfox quicksilver quiet quiksilver qwe123
qwe123qwe qweasd qweasdzxc qweqwe rabbit rabbits raccoon racecar racer rachel rachelle racing radiance radiant radical
radio radiohead radiologist radiology rafael ragnarok rahasia raider raiders railroad railway rainbow rainbows
raindrop raindrops rainman rainyday rambler rambo rammstein random randyorton ranger rangers raphael rapper rapstar
rascal raspberry rasta rastafari rastaman ratchet rattlesnake raven ravenclaw ravens raw raymond reading ready
realestate reality reallove realmadrid reason rebecca rebekah rebel rebellion rebels reborn receiver reckless record
recorder records recovery red redbird redbone redbull reddog reddragon redhat redhead redhot redneck redred redrose
redroses redrum redskin redskins redsox redstar redwing redwings redwood reflection reflex reggae reggie regina
reginald registerednurse rehabilitation release reliance religion remember rememberme rememberthis renaissance renault
renegade rental republic reputation request rescue research resetpassword resident resistance restricted resurrection
retired revelation revenge revolution revolver reward rey619 reymysterio reynaldo rhapsody rhino rhinoceros rhythm
ricardo rich richard richie richrich ricochet riddle rifle rihanna ringo ripper river riverplate riverrun rivers
riverside roadkill roadking roadrunner roadster roadtrip robbie robert roberto robin1 roblox robocop robot robotics
robots rochester rock123 rockandroll rocker rockers rocket rocketman rockets rockies rocknroll rockon rockport
rockrock rockstar rocky rockybalboa rockyou rodeo rodrigo rodriguez roger rogers roller rollercoaster rollingstones
roma romance romania romantic romantica rome romeo ronald ronaldinho ronaldo rooney rooster root rootroot rosalie
rosalinda rose rosebud rosemary roses rosita rossi46 rossiya rotterdam rottweiler router roxanne roxy royal royals
royalty ruben ruby rubyred rugby rugrats runaway runescape runner running rushmore russell russia rustic rusty ryan
sabres sabrina sacramento safeguard safety sagittarius saibaba saigon sailboat sailing sailor sailormoon saints sakura
salam salamalaikum salasana sales salmon salud salut salvador salvation samantha sammy sample samson samsung samuel
samurai samwise sandiego sandman sandra sandstorm sandwich sandy sanfrancisco santaclaus santacruz santana sante
santiago santos saopaulo sapphire sarah sarajevo saratoga sasha sassy sasuke satan666 saturday saturn saudade saudi
sauron savage savannah savior saxophone sayang sayangku scarecrow scarface scarlet scarlett scenery schalke schatz
schatzi schedule schnauzer scholar scholarship school schooner schumacher schweiz science scientist scooby scoobydoo
scooter scorpio scorpion scorpions scotland scott scottie scottish scouting scrabble scrapbook screamer scruffy scuba
scubadiver scully sculpture seagate seagull seahawks seahorse seaside season seattle sebastian sebastien sebring
secret secretary secretkey secretpassword secrets secretword secure secured security seduction select selector selena
selenagomez seminole seminoles semperfi senator senha senna sensation seoul sephiroth september serbia serena serenade
serendipity serenity sergeant series serious server servers service services sesame sevilla sex69 sexsex sexual sexy
sexyback sexybitch sexyboy sexygirl sexylady sexymama sexyme sexything shadow shadowman shadows shakespeare shakira
shalom shamrock shane shanghai shannon shaq shark sharkbait sharks sharon sheeba sheep shelby shelbygt500 sheldon
shelter shepherd sheriff sherlock sherlockholmes sherman shinigami shining shinobi shitface shithead shitshit shiva
shivshakti shogun shootingstar shopping shortcake shortstop shorty shotgun shotokan showtime shrek siberian sicario
sicilia siempre sierra sifre sifrem signin signmein silence silent silicon silly sillygirl silver silverado silverfox
simba simone simple simplicity simplyme simpson simpsons singapore singer singing single sister sisters sixpack
sixteen sk8board sk8erboi sk8ordie skateboard skateboarding skater skating skeleton skinhead skinny skipper skittles
skyblue skyline skylinegtr skype skywalk skywalker slacker slamdunk slapshot slash slayer sleeping sleepingbeauty
sleepy slimjim slimshady slipknot slippers slovakia slovenia slowpoke slytherin smackdown smart smartapp smartass
smartguy smartonfhir smarty smashing smelly smile smile4me smiles smiley smileyface smirnoff smith smoke smoker
smokeweed smokey smoking smooth smoothie smudge snake snakes snapchat snapper snapple sneakers snickers sniper snipers
snoopdog snoopdogg snoopy snoopydog snowball snowbird snowboard snowboarding snowflake snowflakes snowman snowstorm
snowwhite snuffles snuggle snuggles sober soccer soccerball soccerboy soccergirl sociology socrates sofia softball
softtail software soldier soldiers soleil solitude solnishko solomon solution somebody someone somerset something
sommar sommer songoku sonic sonicthehedgehog sonnenschein sooners sophia sophie sorcerer soulja souljaboy soulmate
soulmates soundgarden southafrica southern southpark southpaw southside spaceman spaceship spaghetti spain spanish
sparkle sparkles sparky sparrow sparta300 spartacus spartak spartan spartans special specialist spectrum speed speedo
speedracer speedway speedy spencer spicegirls spider spiderman spiders spiderweb spike spirit spiritual splash
splinter spock spongebob spooky sport sporting sports sportster spotify spotlight spring springfield springtime
sprinkles sprinter sprite sprocket spunky spurs sqlserver squash squidward squirrel squirt srilanka stacey stalker
stallion standard standby stanley staple star starbright starbucks starcraft stardust starfire starfish stargate
starlight stars starship start starter starting startrek starwars station stealth steelers stefan stefanie steffi
stella stephan stephanie stephen sterling stethoscope steven stewart sticker stinky stitch stockholm stockton stomper
stone stonecold stonewall stoney storage storm stormtrooper stormy strange stranger strategy stratocaster strawberries
strawberry stream street streetfighter streets strength stress striker stripper strong stronger student students
studio stuff stupid stuttgart subaru submarine subway subzero success successful sucker suckit suffering sugar
sugarbear sugarplum sullivan sultan summer summerlove summertime sundance sunday sunderland sunflower sunflowers
sunglasses sunny sunnyday sunrise sunset sunsets sunshine suomi superadmin superbowl superboy superfly supergirl
superhero superior superman supermario supernatural supernova superpower supersecret supersonic superstar superstars
superuser supervisor superwoman support supra supreme surfer surfing surgeon surgery surprise survival survivor susan
susanna sushi suspect suzanne suzuki sverige swallow swan sweden sweet16 sweetbaby sweetdreams sweetest sweetgirl
sweetheart sweethome sweetie sweetiepie sweetlove sweetness sweetpea sweets swimmer swimming switch switzerland sword
swordfish sydney sylvester sylvia symphony synergy syracuse syria sysadmin system systemofadown systems szeretlek
tabitha tacobell tacoma tacos taekwondo taiwan takeoff talisman tamara tampa tangerine tango tank tanker tarantula
tardis target tarheel tarheels tarzan tatiana tattoo taurus taxidriver taylor taylorswift teacher teachers teamo
teamomucho teamwork teardrop tears technical technician techno technomusic teddy teddybear teenager tehran telecom
telephone television temp1234 templar temple temporal temporary temppass temppassword temptation tenchi tender
tennessee tennis tequiero tequieromucho tequila terminal terminator terrance terrible terrier terrific territory
terror terry tesla test tester testing testpass testpassword testtest testuser tetris texans texas thailand thankgod
thanks thanksgiving thankyou theater theatre thebeatles thebest theboss thecat thecrow thedog thedoors theend thegame
theking theman themaster thematrix theodore theone theory thepassword thequickbrownfox therapist therapy theresa
therock thesims thethe thething thewall theworld thinking thirteen thisisit thisisme thisismypassword thisone thomas
thornton thousand threesome thriller thuglife thumper thunder thunderbird thunderbolt thundercats thunderstorm
thursday tiamo ticket tickle ticktock tiffany tiger tigerlily tigers tigerwoods tigger tiggers tiktok timberland
timeless timeout timmy timon timothy tinker tinkerbell tinman titanic titanium titans titleist toast tobeornottobe
tobias toffee together tokyo tomahawk tomato tomatoes tombstone tomcat tommy tomorrow tomtom tonight tonymontana toor
tootsie topgun topsecret torino tornado toronto torpedo torres tortilla tortoise toshiba totally tottenham touchdown
touching toulouse tourist tower towers toxic toxicity toyota toystory trabzonspor tracey tractor trader trading
tradition traffic training trance tranquility transam transfer transformer transformers transit transport travel
traveler traveller travelling travis treasure treehouse trees trespass triangle tribal trident trigger trilogy
trinidad trinity triple tripleh triplets tristan triton triumph trivial trojan trojans trooper tropical tropicana
trouble troublemaker truckdriver trucker trucks truelove trumpet trustingod trustme trustno1 trustnoone trustyou truth
tsunami tucker tuesday tulip tulips tunisia tupac turbo turkey turkiye turquoise turtle turtles tweety tweetybird
twilight twilightsaga twinkle twinkletoes twins twisted twister twitter tycoon tyler typepassword typewriter typhoon
tyrant ubuntu ukraine ultimate ulysses umbrella undefined undercover underdog underground understand undertaker
underworld unforgiven unicorn unicorns uniform union unique united unity universal universe university unknown
unlimited unlock unlocked upgrade uptown uranus uruguay usa123 usarmy usausa user username userpassword useruser
usmarine usmc usmcusmc usnavy utopia utrecht vacation vaccination vaccine vagabond valencia valentina valentine
valentines valentino valeria valerie valhalla valkyrie valley valparaiso vampire vampirediaries vampires vancouver
vanessa vangogh vanguard vanhalen vanilla vectra vegas vegeta vegetable vegetarian velocity velvet vendetta venezia
venezuela venom venture venus vergessen verizon veronica version vertigo veteran vicecity vicious victor victoria
victory vienna vietnam viewsonic vigilante viking vikings village villain vincent vincenzo vintage violence violet
violeta violets violin viper virgin virginia virgo virtual virtue vision visitor vitamin vitoria vivian vladimir vodka
voetbal volcano volcom voldemort volkswagen volleyball volvo voodoo voyager voyeur vulcan vulture wachtwoord waffle
waffles wales walkingdead wallace walter wanderer warcraft warehouse warhammer warhammer40k warlord warning warren
warrior warriors warszawa wasabi washington wassup water waterfall waterfalls waterloo watermelon waterpolo waters
wealth weapon weather webdesign webmail webmaster website wedding wednesday weed weeds weekend weirdo welcome
welcomeback welcomehome welcometo welkom wellbeing wellington wellness welsh wendy werder werewolf werewolves west
westcoast western westham westhamunited westlife westside westwood whale whatever whatsapp whatsup whatthefuck
whatthehell wheels whiplash whiskers whiskey whisky whisper whistler white whiteboy whitecat whiterose whitesnake
whitetiger whitewolf whitney whoami whoareyou whocares wicked widget wildcat wildcats wildfire wildlife wildman
wildone wildthing william williams williamson willow wilson windmill window windows windowsxp windsor windsurf wingman
winner winners winnie winniethepooh winnipeg winston winter winteriscoming winters wintertime wireless wisconsin
wisdom wishbone witchcraft wizard wizards woaini wodemima wolf wolfpack wolverine wolverines wolves woman wombat women
womens wonder wonderboy wonderful wonderland wonderwoman wood woodland woodstock woodward woodwork woody woofwoof
wordpass workhard working workout workshop world worldcup worldofwarcraft worldpeace worldwar2 worldwide worship
worthless wrangler wrestlemania wrestler wrestling writer writing wrong wrongpassword wsxedc wtfwtf wutang wutangclan
wwe wwewwe xanadu xavier xbox360 xboxlive xerox xfiles xiaoming xmen xray xylophone yahoo yamaha yamahar1 yamahar6
yankee yankees yasmine yellow yesterday yesyes yingyang yoda yodayoda yolanda yomama yosemite youandi youandme younger
yourmom yourname yourpassword yourpasswordisincorrect yourself youth youtube yugioh yummy yummyyummy yvonne zacefron
zachary zachery zagreb zapata zaq123wsx zaq12wsx zaq1xsw2 zaq1zaq1 zaqxsw zealot zebra zelda zenit zenith zephyr
zeppelin zero zerocool zeus zidane zigzag zippy zodiac zombie zombies zoomzoom zulu zurich zvezda zxc123 zxc123456
zxcasd zxcasdqwe zxcvzxcv
`
    .trim()
    .split(/\s+/),
);
