-1 |subject vokor vifan gori |body zedi vokor:2 vorkan mali vanti vifan tuba legan zeda gandi pibo lupo tefuzo torfuvan ferorsor sanovo kunusi gorforgi nolose kufida rosanfi
1 |subject doro roni |body zedi losan lanmi tuba biti ranvo nanu dorgivan babofe zortefi
1 |subject zedi bormi budi lasa |body zedi doro penan losan roda nani pumu ganfan vibesa losogu
-1 'letter4|subject dorgan sana pivapu |body raga vokor vifan legan fusor vanlor bilor fute lankigu dolilo rezodo norkubi bivovor menoli
1 1.5 'letter5|subject raga zedi nanu sudanma |body raga:4 zedi doro togu lorlan nifo:2 negor luran ribi zuzu gorfo netere lorrorzan zorgofu bumuman rorzegu zorpera zifaga
1 |subject raga mornu borsulor |body doro:2 keze lanmi:2 lorlan tolu rorti kanti negor sorran lagor miman nisan forte tunofu sanlufor goloran
1 2 |subject keze kanre nenu roke |body doro mornu sangu losan lorlan vorpor budi nani torge porro gipa tafi mador kibor retu gopi loba pangiva fusorgu lanvedan porfozo
-1 |subject legan gugo zeda lankigu |body vokor:3 norne bemor morgan robo buse foma fanpanro sefuva
1 |subject raga torzo putemu |body raga sangu lanmi:2 tangan sorlo ganzan vufor zosu lupo noma lanlan selonor gisorbo
-1 |subject sibo fuva |body raga vokor:3 vorkan:2 mornu mali:2 legan babi pebi vanlor zanle lopi sagi zimi zaban dananu porfozo lutako zangela vorburor
-1 |subject gandi tikorre |body vokor:2 vorkan:3 mali roda torzo tibe tubi fasan bavi zono sibego nikize zarandi mornorno
-1 |subject vokor dofa nibo |body vokor vorkan mali lozor:2 vifan guva babi nani bilor tibe ranfan dofor lupo govugor vanrenan fanpapo vorpodor pebanbor detigo
1 |subject keze ganzan romeban |body raga keze tuba gori fusor norsu dolan zeda torge porro roni nanu zorzo talor nifa kubo dorgan mufo sika matego vorburor
1 |subject zure ganzan |body zedi:2 togu norne vanti zori sagi kanre nenu zanlo forte vituze forfora
-1 |subject raga penan |body vorkan:2 nopan:4 legan roni gitu zono ganfan nugobor
-1 |subject vokor tare |body vorkan:3 mali bemor legan lapan forfan sibego porlira fagortor lebezan
-1 |subject vokor giru |body raga vorkan norne penan:2 bemor vifan tuba gugo sevan fanbe kiba lotu dorgan mifi rorge gumovan togaman mapuna tomorkan
-1 |subject vorkan vipi |body vokor:3 nido vanti kipi nuzan dorgan kofe basozi dirono pornorlor landansi
-1 'letter19|subject vifan sanfa |body vokor vorkan mali:2 nopan dorgor zusi giru gibugor legifi
1 |subject raga roda norsu |body zedi gefan gita gimorgi lanvina morfero bafuza fanlivi
-1 'letter21|subject raga vokor nitu |body vokor vorkan:4 nopan guva kima:2 monorlor:2 selobor tikorre sutangu
-1 |subject vorkan mali roni borrubi |body vokor vorkan mali:2 tugu dolan vanlor fuzo:2 nani manpan lagor foso dofa forbu sagi pisu tokor tangego kitila nopabi
1 |subject raga zedi roda bebu |body raga:3 doro:2 keze:3 sangu penan bemor suva niro futan zorta tinornan gelema sopanbu ranmaror seforbor rereli buneva
-1 |subject biti rere |body zedi vokor vorkan togu tigan:2 legan pebi dorgor fori panga togi meki laban monorlor paloru gornoka zankuri fenumo
-1 |subject mornu babi dolan kuvada |body zedi vokor doro mornu lozor nopan gori tigan babi kega lilor kuzo dofa demor nuse name nirasor manforso fagortor sadome
1 |subject raga doro |body raga zedi:4 keze togu lozor roda vanti duki zori kanti:2 kansu panru panga luran runan minan zumopa tamupan vituga
-1 0.5 |subject lanmi gupozor |body raga:3 zedi:4 penan roda lanmi zori vorpor gefan zemi rokan nupu zanman losogu lakotor
-1 |subject legan nifusa |body vokor:2 vorkan losan gori vanlor rova lisu lotu vipe kegor gavo koguke
1 |subject doro budi |body raga:2 zedi doro keze roda:2 lanmi:2 dolan puke runan fime gorfo guruga rurorkan
1 |subject lumor togi zudube |body vokor:2 vorkan doro sangu nopan legan pemo tafi tubi kuzo sanmi fupo torfor dedeva desevu
1 |subject roda norsu rebannan |body raga zedi:2 sangu suva kubo gando vipo bormabi lorganda limanla fandupu
1 'letter32|subject keze norsu putalu lakotor |body zedi:3 mornu sangu lozor norsu ganzan vanlor nankan kuzo loba sose piki kavufa zorezo
-1 2 |subject keze nanlaba |body raga vokor vorkan:2 togu bemor nopan:2 dolan ganzan bilor dofa
-1 |subject vokor tubi dokebi |body vokor:3 vorkan:2 tuba biti:2 zure babi gilan lesan nibo gogu nifusa sefuva zorformu
1 |subject mornu roda kubo fibafa |body losan roda duki zori tolu nifo lase nifa kedor lazanko
-1 |subject zedi zori |body vokor vorkan mali:2 nopan:2 duli danbor kanfezor fufefe satoba dinuvor peforsu
-1 |subject vorkan bemor panlevan |body vokor vorkan:2 nido fano budi garu pupi bogi buse togi lasu rosopor sadorror tavorfo
-1 |subject vokor bilan |body vokor vorkan mali nopan vifan tigan duki ranfan lotu demor zimi faban name suran panguda zorsese tomegu nandodi lutako dolilo bugifu
1 |subject fanbe zankuri magiror |body raga vokor doro roda lanmi tangan gori ranvo dolan tolu torge zimi vanruzi netere sadorror ganvizo sananpo
-1 |subject mornu sankan kevo pabanse |body zedi vorkan norne:2 vifan tugu biti pebi zanle vorpor vipi fori mifi borsor lunan letor vaforpan bepovi kinevor vivilo
1 0.5 |subject noma tutormu korkuvi |body raga:2 zedi doro roda lanmi tangan dolan lorlan tolu kansu nuku talor zora demor dorbe miman rumo foma gimorgi tutormu vorbitan
-1 'letter42|subject vokor gogu |body vokor tangan nopan sevan tibe gandi foso tubi lesan mama sorve zeluzor ritaza zipifan giviror sananpo
1 'letter43|subject keze lagor kibor zorgofu |body raga:3 zedi:2 keze:2 togu sangu norne roda:2 ranvo lordu nobor vituze safupi tibotor gormomor
-1 |subject penan nopan tugu gandi |body vokor:2 vorkan lozor vifan:2 gori legan fori:2 giru saran vupi demu luvine dakorde sornene tanzobu gorforgi lanpandor
1 |subject penan kipi |body raga:2 zedi mornu lanmi norsu ranvo nankan mador regi fapa nankorro sapegu damorpan memogi nedupor
1 'letter46|subject mornu roda tugu fusor |body raga:2 zedi sangu losan roda lanmi zure sorlo dolan zori bormi zeda nifo puke modu fanka losova dirorva mebiru
-1 |subject vokor kega kipi gilan |body vorkan lozor nido vanti gori dornan lumor dorgan nufe leve bevino gorforgi morvosa
-1 'letter48|subject bilor foso |body vorkan:3 keze mornu nido vanlor roni foso:2 lorlu zimi borsor sopor faban fuva ziza rorge zorta sibego bekuzor
-1 'letter49|subject dorgor kope lusa |body vokor vorkan:2 penan lozor nopan ranfan borpu ganfan ziza bomedan sogefe
1 1.5 |subject zedi gazipo pekere |body raga zedi:2 togu:2 sangu nido bormi gefan porro nankan panga nanu niro tare nibo dibi febo:2 kudaran sogefe kopuni zufogor
-1 'letter51|subject vorkan danbor bavi |body vokor:3 vorkan:2 tangan bilor zusi naror roke sifan duro zorta manpize
1 'letter52|subject lanmi vume demu |body raga zedi:2 vorkan penan:2 fanbe lordu saran manse nornaro puvotan sokova tomegu desevu kukoro
1 |subject raga zedi |body raga:4 lanmi vanti ranvo zanle kansu manki kovogo butunor
-1 'letter54|subject vifan robo vedan zorsor |body vorkan:2 nido vifan legan nani gandi dibi ferorsor fobofe vivilo
-1 |subject vokor sorran pema |body mornu sangu mali bemor vorpor tibe tubi fumandan vivilo ponomo
1 'letter56|subject raga sangu kega talor |body raga:5 zedi doro norsu nifo nankan nirasor sorkebe
1 'letter57|subject keze givo tante detigo |body raga:2 vokor doro keze:2 lozor zure norsu bormi tolu daban gufor redifor gorforgi
-1 'letter58|subject legan vonor tandugan |body vokor vorkan sangu bemor ranvo negor kafe kegor zorna safor fuva lozovu sadude
1 |subject fusor budi daban |body raga:2 zedi:4 nido lanmi kansu beno gandi musor zariba mandupo mamiva sebanan dadomi
-1 |subject tibe kesafor morrogu |body vokor:3 vorkan mornu:2 mali losan vifan biti tigan ranvo kope fori lotu suno kafe lasu zolu legifi kufida
1 |subject roda lanmi farorvor |body raga:2 doro retu mufo zorna loba zopumi putemu fosanfa levoka nomorpan
1 |subject nido gefan rorto revorda |body raga zedi:3 doro losan biti zori nani torge roni modu fidebe fadagu kazugi
1 |subject zedi doro keze lanmi |body raga:3 zedi:4 roda:2 rorti givo zemi porro nanu busor loba pamoge tisesu gordorlan rormanso rilile buvangi
1 |subject raga lozor |body raga:2 zedi:3 doro sangu norne ranvo zori tolu rorlor ludante
-1 |subject vokor nopan zezo ranlora |body vokor:3 nido nopan vifan norsu pebi rova zanle garu kiba bokor kevo name minan litu nankorro zalidi pazansi zorsope ludante
1 |subject givo serelor |body raga:3 zedi:2 togu:2 lanmi tangan zure norsu rorti regi sango nageko mikeka
-1 |subject tangan zusi luvine |body vorkan mornu mali vifan guva lorlan nani lopi pemo lumor kima dorgan miman gavo faban kofe letor mopordo mabema tisesu lannipu nolose
-1 'letter68|subject vokor pabanse |body keze sangu vanti tigan lesan nibo fibafa kedabo vukivor pafate rebannan
1 |subject panga lankapan |body raga:4 zedi:2 doro:2 togu:2 sangu losan roda:2 zori tolu:2 kega negor panru panguda tomegu
-1 |subject mali zitosi |body zedi vokor:2 vorkan mornu penan vifan tigan legan tolu nani robo garu gitu pibo donekan sorgegor guzanze tibanti
-1 |subject vokor pebi bormi lanpandor |body vorkan:2 gori lorlan vanlor demor tanba vabordi
1 |subject raga givo kanti |body zedi togu roda lanmi bormi sorke beganvi kavufa vuzigu
-1 'letter73|subject panforsa pebanzu |body vokor:2 togu mali torzo tubi sifan vimuvor dananu pazansi vunavu
1 |subject raga penan saran tozumu |body raga lanmi biti tolu rova manve zora manpize tunofu mandupo sanlufor kavufa girasu vituga
-1 |subject vorkan pema dadomi |body doro penan lozor fano zanle zeda foso pivan zeluzor
-1 |subject ranvo kope nibo |body vorkan keze mornu tugu manpan sorran roni bilan dorgan nuse milu zipifan
-1 |subject vokor mali lanmi sose |body raga vorkan doro mali nido nopan dornan kiba:2 nibo togi lupo lunan visu laban manganu ronosa panruma
1 |subject norsu vokanto |body raga:2 zedi pebi daban nenan kodasa kedabo lotezor
-1 |subject penan sanovo |body vokor sangu bemor tugu sorlo babi pebi pemo ranfan pupi torkado
1 |subject zedi roda rorbanri |body raga:2 zedi nido bormi nani mufo borpu
1 |subject givo kipi fandupu |body raga:3 vokor:2 penan roda:2 norsu duki:2 kega kuzo niro pupi nitor ranvi molona
-1 |subject sorran fuloni |body vokor sangu norne bemor nopan side fasan beto gavo lanzan faku
1 |subject kega nankan lordu |body raga zedi:3 doro lanmi tangan tolu lilor mador kubo ranvi gando rumo pamoge vorkorfe sifanbi
-1 |subject vorkan mornu mali sisopu |body raga vokor:2 mornu nopan fano vanlor norzor nisan nofasor
1 |subject raga norne ganzan dorgor |body raga:2 zedi:2 vorkan doro togu lozor sorlo gori dolan:2 niro ribi neti zanlo piki fanbanlor
-1 1.5 |subject foso talor zimi vavan |body vorkan:4 togu norne mali:2 losan nopan tuba legan kubo mano kormu vupi vifanbo desasu zarandi ganmuge
1 |subject doro losan noma |body zedi:5 togu sangu norne fusor lorlan kansu gipa beno panru faban gopi bazorpa tukandu nabosu
1 |subject raga vanti meki vizor |body zedi doro roda vanti ganzan pemo forda ransu detanfa
1 'letter89|subject raga zedi meborla |body raga zedi:3 doro keze:2 norne roda lanmi dolan rorti kanti panru ransu leve tigor dazu zariba farorvor zesanne
1 |subject torge kegan lusa |body raga:2 zedi keze:2 losan dolan tolu zorzo kuzo tofi nenu zuzu:2 tufulo panpiro lefankor lifofo
-1 |subject doro fori |body vokor:4 vorkan keze vifan sorlo manpan duli muvor pivan putalu vanruzi bumakor
-1 |subject vokor lutako |body vokor mali roda vifan babi bormi sevan ranfan tare suno pivan pamuror tesortan
1 |subject zedi givo vorpor |body raga:3 zedi:2 doro keze penan lozor norsu:2 dolan duki bormi sorran panga rokan fapa vavan mama vodetor selanso
1 'letter94|subject zedi lopanpi |body raga:3 zedi:2 keze sangu penan roda lanmi tolu kipi nankan kubo dibi rorsanne puvotan
-1 |subject gandi sutorlu vetimo |body vokor vorkan togu mornu nopan tuba ranvo tibe fori gitu lesan nibo pisu sepor zovevi
1 'letter96|subject togu morme vifitan |body raga:3 keze lanmi tangan tuba norsu fanbe tafi lilor mador zosu milu manganro mebiru
-1 |subject zedi lopi |body vokor vorkan:2 nido tuba tugu biti lumor suno nibo naror zipi gorforgi borzanmu
-1 'letter98|subject norsu nute lasa nonefu |body vorkan sangu penan:2 tangan tugu biti gori negor ranfan kormu kibor gomor sana viman tanginu torfuvan monorlor bibosor babofe kannida
1 |subject lanmi norsu gasu |body raga zedi doro losan roda sorlo gori norsu robo bavi zanlo porguba pinuran zortefi donorfor
-1 |subject mornu zibozi |body vokor doro mornu bemor:2 tugu dolan rova vipi fori lotu kima zulan
-1 |subject vipi komavu |body raga vorkan vanti biti fano:2 manpan vipi rorto lisu puke tefa bani kule rordopor tilulor pukanpan denelor
-1 |subject vorkan formanto rorgita |body raga vokor vorkan legan lorlan sevan panga lase topan zipu:2 fegan sizofa resadi
1 2 |subject raga ganzan |body raga:2 doro norne roda lanmi lorlan tolu rorti nifo porro forda fuva lozovu porkubor tamupan fidebe lasekan porrite zisava lamufe
1 |subject zedi tugu bamanve |body raga zedi:2 doro keze penan losan norsu mador talor vakan ransu bevino gorgorru suzida gasebu bifanru
1 'letter105|subject biti fogive |body zedi:2 doro:2 tuba norsu rorti torzo davor febo tannapor
-1 |subject keze suva lasekan |body vokor:2 vorkan norne mali nido bemor vifan tugu legan sankan dofa lumor fute revorku duzanfor lorziro lorganba gidador danzute
-1 |subject mali dorgor |body vokor:2 vorkan penan nido nopan tugu manpan bilor tubi kiba zolu sana faku dekati zanfenor vetimo
1 'letter108|subject kanti kikanmi rubube |body zedi doro mali lanmi tugu morgan nute manve moran tofi manse nobor gono safupi tamupan tesortan sanlufor lemorga doforri
-1 |subject fusor mano lenidan manpadan |body vokor vorkan keze norne mali fano tubi gitu kormu faban ziza rurufe zafumor todevor
1 |subject roda norsu porguba |body raga vokor doro:2 keze:2 nido losan lanmi nopan biti duki tolu givo keman fanbe mador side futan rutiti bidamor lefankor
-1 'letter111|subject mali vanti |body vokor:2 vorkan doro keze togu sangu penan nido bemor rorto lumor sugi borsor zono vavan sanovo fobofe kitila kifanpi dorsonan
-1 'letter112|subject vokor keze nido |body vorkan lozor biti guva givo porro sevan gandi nanu pibo retu minan zolu banran gazake sopanbu fobofe lazanko santovan lordordan rukator didire dupala
-1 'letter113|subject norne lesornu |body raga vorkan nido losan vifan tuba pupi sagi sanfa kazaro rorsanne novorto lesornu sordanda
1 1.5 'letter114|subject gibugor somala |body raga:2 zedi togu budi niro zimi dagelo papanko noseba
-1 2 |subject vokor lapan rorgita |body vokor vorkan keze mornu sorlo torzo sevan napan dofa lotu ropor bopan fobi gantanfor tisesu sorvandu lopanpi vetimo
1 |subject kipi naneli |body zedi:2 zori rorti vorpor gefan gono:2 fepemi romeban
-1 |subject vokor vorkan vubego |body vokor:3 vorkan:2 mornu penan nopan vifan fano zemi ranfan bilan vizor muleno
-1 |subject pebi pema tafi |body vokor:3 sangu roda vanti:2 nopan vifan pebi givo sankan suva gandi gitu pupi togi kormu forvor minan nitu panguda bugifu
1 'letter119|subject pebi vevorvi torpime |body raga zedi togu:2 norne roda sorlo ranvo zori zanle kega porro gipa gosose govugor
1 |subject penan dolan robo mesan |body raga zedi:4 doro norne roda:3 tuba zure fusor duki ganzan zori robo torzo panga randu:2 nenu manse
1 'letter121|subject losan mesan panzan |body raga lanmi bemor gori porro buse zipifan noseba
1 |subject kanti rorferu zesanne korvero |body raga:4 zedi:3 doro sangu gori babi dolan rorti budi kansu daban niro zora norzor nopa gorsosa zikore nusamo
1 |subject musor mufo tamupan |body raga:3 zedi keze togu roda:2 lanmi bemor zure sorlo kega forfan ranmaror
-1 |subject vokor sangu pema nanlaba |body vokor vorkan nopan biti morgan roni lopi fori lorlu nefa lomor vorgiran mopordo papanko fanzure forgodan
1 |subject zedi pumu |body raga zedi losan roda lanmi duki panru piso giru vimuvor meborla pebore
-1 'letter126|subject vorkan vipi panru fasan |body vorkan fusor tolu gandi kiba retu beto sorke manse rere zanman
-1 |subject forda ponuzor nopabi |body raga:5 zedi:3 mornu penan bemor dolan ganzan kipi lorlu nuka seripor govugor porfozo lebasan gilorve:2
1 |subject keze mador |body keze mornu:2 roda lanmi biti norsu:2 dolan duki beno nifa vakan nenan torfor lorrorzan butunor
-1 |subject vifan tuba |body vokor:4 vorkan:2 doro keze nopan zure:2 givo sankan mikan kiba dofa sugi vakan ziso tanginu pomoso foluvo
1 'letter130|subject roda fornorro |body raga:2 zedi:2 keze sangu norne lanmi tangan norsu lorlan givo kanti negor vufor musor gosose rokanpor tanzige fanvozu zarandi
-1 2 |subject suva mano tisesu |body vokor:5 vorkan keze lozor legan dofa moran topan ziso gazake gageror morsanbo kordiri lofaka porrezo
1 'letter132|subject raga zori |body raga:4 doro mornu norne sorlo gugo pibo regi porrite
-1 |subject babi giru |body vorkan mali vifan sevan gandi tubi lisamor lebasan zarandi
-1 |subject mornu mali |body vokor:3 vorkan mali:2 nido legan guva fusor zeda panru dornan mifi nufe gufor sanfa tefuzo nikize dovani dorgezi torkado
-1 'letter135|subject vokor vifan nisan pibodu |body vorkan:2 tuba norsu negor tibe ranfan gita letor muvoma zipifan lopeko giviror
-1 |subject tilulor nozandan |body zedi tangan torzo kope ranfan pibo sopor fova gantanfor matego lefufe gorzozo
1 |subject mali kormu |body zedi vokor vorkan mornu vifan:2 tigan tare dofor lupo vituze panvuma lorganba lebasan tokanre vorelan
-1 |subject vokor dorgan |body vorkan mali:2 vifan tugu tigan dofa lorlu tatefor
1 1.5 |subject doro norne fime |body raga:2 zedi:2 doro vanti sorlo lorlan zemi kiba gorgorru fanvozu norgemi
1 |subject doro losan nazopa |body raga:2 roda tugu gori rorti budi kansu fevi zariba medano
1 |subject bormi rova |body doro norsu tolu rokan donan:2 bizebor susangor gupozor
-1 'letter142|subject vorkan bemor meki |body vorkan keze foso tare beto para sanovo babofe gilorve dokorban
-1 |subject nopan suno vipe gubanni |body vokor vorkan bemor vanlor rova sevu borgorfa sevipa
-1 |subject legan pornorlor |body vokor vorkan norne penan:2 bemor nopan ranvo lotu mano lanzi nuse tanginu lanborro medanvor sapegu soviki
1 |subject duki kanti visu kokanmi |body doro norne lanmi dolan fano nisan forfan tunorga
-1 |subject tuba bilor |body mornu rosor pibo nuzan zipu kule pamuror vanpanu leneni fumumi
1 |subject raga zorformor |body raga:4 doro ranvo torge nankan zorzo tofi ribi zotu damorpan rakafu rigomi
1 |subject sangu goban |body raga zedi doro keze sangu norne tangan morgan kansu kubo rokan zaban
-1 |subject vokor mali kirava |body vorkan:4 keze mali nopan:2 tugu pebi sevan lopi kope mano bokor mifi vuru tunofu medanvor nikize dorsonan bupeme vorelan
1 |subject zedi |body zedi togu tangan zori beno kedor fapa pibotu dagelo
1 |subject nobor tibotor nalivi |body zedi lanmi:2 dolan zori zemi porro mador kedor naror piki rangulu
1 |subject roda ganzan nifo |body raga:2 zedi zanle manpan gipa kafe nuka moforso pebore
-1 0.5 'letter153|subject legan fuloni |body vokor:2 mornu roda gilan busor forvor norzor bavi visu landegan desasu pukire torbuvan bafapa lesornu lubulo zankuri
1 0.5 |subject niro mufo tutormu torbode |body raga:4 vorkan togu:2 morgan kanti porro panga vuru nosu butunor
-1 2 |subject kedor duli koguke |body vokor:3 mali:3 losan nani:2 keman sankan tibe lotu mano redifor vaforpan ranpuzu
1 |subject vorkan dolan gipa manpize |body doro nido lorlan rorti daban foso kikanmi sutormi
-1 'letter157|subject vokor losan guva |body vorkan mornu penan nido losan lorlan tibe tare demor davor ripo somanva mipitor lannipu danzute zezorre dorzasu
-1 |subject mornu tugu sevan zanlo |body vokor vorkan:2 mornu nopan vifan tigan bilan suno bavi demor godesa beganvi pabanse gantanfor duzanfor vanpanu panvuma dakorde fusanbe dankini
-1 |subject vokor babi kiba pezulan |body zedi vokor mornu bemor vifan tugu sankan kope dornan bogi gakenu rordopor sizofa sordanda
-1 |subject losan vedan mirorno |body vorkan:2 mornu zure gugo bilor gitu mopordo selonor naranda sesisan
-1 |subject nopan borgorfa pimorpe |body vokor:2 penan nido vifan givo sorran kormu fansego
1 'letter162|subject keze manpan zopumi ralorror |body raga:2 zedi doro keze:2 sangu norne roda zanle sankan nifo nanu forda gufor vituze vandizi poduvan
1 'letter163|subject fasan zanrorze |body raga vorkan doro:2 togu penan tuba norsu dolan dorgor torzo meki:2 porguba movusu keduso ronanpor
-1 |subject raga zedi lanmi vorpodor |body raga:3 zedi togu losan roda vanti zure lorlan kega kanti:2 kansu niro gopi zuzu zezo manpize monorlor duneso gumage lorsefor
-1 |subject vokor mufo |body vokor vorkan sangu kope gandi lumor togi:2 rafafa pebore
-1 'letter166|subject vokor mornu |body vokor:2 penan nido tangan tuba zure zori zemi nuzan giru vonor futan dizevor navato morvosa selobor
1 |subject raga fanka tetorso |body doro keze norsu budi foso nanu regi pifeni danzorka novorto kukoro purako fansanse
-1 1.5 |subject roni dofor safor vubego |body vokor:2 vorkan mornu norne:2 mali nopan:3 vifan:2 ganzan bilor tare forbu sanfa tepila
1 2 |subject zedi togu fibafa |body raga vokor vorkan losan lanmi tigan kega morgedan kikanmi vorbanra morrogu
1 'letter170|subject raga zedi roda |body keze sangu norne kega kansu ziso kibiman bivoso fansanse
-1 |subject vokor vorkan pupi |body vokor mornu vifan tigan:2 legan manpan sankan sevan panga vipe miman mama gorfo forte torfuvan dangovi
-1 |subject vipe rupiri |body vokor vorkan penan mali losan:2 tugu sorlo legan pebi nani dofa luran goban bebu rorge pivan fobofe rurufe lutako
1 'letter173|subject raga negor |body raga doro keze sangu nido biti dolan givo gugo kansu nuku borsor bani sika meroko vifanbo noborpa lumeme sanlufor
-1 |subject zedi kormorpe gesanto dirono |body vokor:2 vorkan lanmi bemor:2 nopan gori guva ganzan rosor tubi lumor suno leve fute porguba fusanbe lidapi fanzure renata
1 'letter175|subject raga zedi |body raga:2 zedi:4 sangu roda nankan kuzo suno buvangi
1 |subject bormi tefuzo sefove |body raga vokor doro penan:2 nido losan forda sukesi
-1 |subject vokor vorkan nopan vorgozor |body vokor:3 roda babi sankan rosor pisu puke bavi lanzi fufefe fadorla morsulan torbuvan
-1 |subject vanti vifan |body raga vokor:2 vorkan mornu sangu mali nido vifan zanle kormu vortan lapan sorke muvor lanze lizorvi borgorfa kangamu torbage gizalo bafapa samordu
1 |subject lanmi rova |body zedi keze lorlan kanti gefan ranvi bekunor kilozi kezedi
-1 |subject lanzan dibi |body vokor:2 mali nopan tuba gori tigan kevo reza rotanpu komavu labavor gizalo fankiso
-1 |subject budi fori rorge kormunu |body vorkan:2 mornu:2 mali nopan fano kope napan danbor vedan zipu vorsanlan manforso medanvor fadagu bulorsan
-1 |subject babi garu |body vokor vorkan doro mali:3 nopan:2 tigan guva lopi lotu vufor litu nanlaba zesanne manugo lortavor
-1 |subject keze rorsanne |body vokor vorkan mornu vifan zorzo sana ridusor zipuda
-1 |subject vokor lofo lorrandi |body vokor:2 vorkan togu legan babi tubi nuku buse duli zezo gekorse vangamor lorganba madozi savusan
1 'letter185|subject raga fusor suva nezedu |body raga zedi doro dolan niro zotu ridusor pevopo
1 |subject losan regi sadorror |body raga:2 zedi sangu lanmi bemor tuba zure bormi morgan roni panru tafi borpu sose kokanmi vibesa lorziro sisanfu
-1 'letter187|subject vokor vifan |body vokor:2 vorkan mali roda pebi dofor lapan sanovo sankorgor zipuda vubovo dipanpan norkubi
1 |subject doro sagi borregan |body raga:6 zedi:2 vorkan doro togu roda lanmi tugu guva gefan sika mitemo
1 'letter189|subject norne letor mirorno |body raga zedi togu lanmi duki gefan fanbe zanrorze tanzobu
-1 |subject vipi dofa bokor |body vokor:4 sangu mali nido bemor legan babi rova foso:2 tubi saran zipu fuva fupo fufefe rordopor dirono rorzegu bedepor
-1 'letter191|subject mornu mali |body vokor:2 vorkan:2 norne tangan nopan sevan lanzi kofe tante nupu lankigu gazake nanlaba
-1 |subject zedi roda |body doro:2 roda lanmi zure norsu dolan lorlan kansu nanu napan ranvi forte tinornan torpiru redifor zukanno rorpogi
1 1.5 |subject zedi mornu |body raga zedi:2 doro:3 norne nido roda norsu zori zanle vorpor gefan zeda daban lase modu sose sankorgor rupiri porkubor tokanre
-1 |subject mornu penan vavan |body nopan zure nute forvor vedan dibi nudiku dilankan bubega
1 0.5 |subject togu ranvo lorlan pazanta |body raga:2 zedi togu norne:2 lanmi vanti negor sorran gipa zora loba santovan zangela zorgofu
1 |subject penan ropor |body raga zedi:2 sangu losan roda:2 tolu rorti:2 nifo nifa nofe forda mufo zanrorze beganvi dufedo dorgivan
1 |subject zedi norsu kegor |body raga:3 zedi losan roda zori rorti kega zemi sorran mador kubo davor sukesi dagelo binoma
-1 |subject norne nopan |body vokor vorkan sangu norne mali:2 losan vanti nopan guva bilor kope garu moran bokor rokan fobi sanfa porove desasu norkikan rifolor pebanzu
1 'letter199|subject raga lanmi sika |body keze:2 gipa manve tafi daban rorto saran morme noma torfor tafufan ganupan vokanto
-1 |subject guva morvosa |body mali vifan tigan fanbe lopi kope sugi topan naror:2 kofe duro letor vorgiran kanfezor dovani torbuvan vorelan
-1 'letter201|subject vokor vorkan garu |body vokor vorkan:3 nopan bilor lesan kibor ponomo
1 |subject vorkan norsu zalorfe |body raga zedi mornu dolan:2 zori:2 gefan musor kima lordu tante zotu zopumi kormunu zudube
1 |subject raga lapan lanzi |body raga:2 zedi vokor doro keze togu:2 mornu tangan nopan gori pebi morgan gefan noma nupu seripor detanfa romeban seforbor gusebe
1 |subject zedi losan kansu |body raga:2 zedi norne roda fusor bormi budi manve nanu moran forbu kafe mesan duzanfor
1 |subject raga davor |body raga:2 zedi doro norsu zori zeda beno forda
1 |subject raga doro togu rupiri |body raga:3 doro norne gori duki:2 gefan porro kipi nitor nopa
-1 |subject vifan ganzan |body vokor lozor nopan ganzan garu danbor lasu vanruzi lubopu
1 1.5 |subject raga togu |body raga:4 zedi:2 doro roda sorlo gori nifo foso nanu tanba fomenan filoru nekagor maporsi mamune korfapi dalire
-1 |subject tigan guva |body vorkan:2 sangu pebi vipi kope dornan suno luran vedan mufo gavo safor morme rorge metorso tezoka denelor
1 |subject lilor napan panban gepordo |body zedi doro keze:2 togu roda dolan zori sorran rosor nanu piso nifa tofi davor noma sango luvine fagortor sisanfu vorbanra pornabu
-1 |subject vorkan pebi |body vorkan:3 mornu vifan dolan zanle roni fori lase kormu vortan kofe
-1 'letter212|subject vorkan bokor rosanfi |body raga vokor doro losan nopan vifan tigan fusor pebi keman nute kipi busor vedan vonor:2 dubo koliza topanve babofe
-1 |subject norne mali gono |body mornu legan gugo sevu sanovo lisamor begazo vangorzi
1 |subject raga meroko |body raga doro sorlo zori gefan nani topan mivorgu dosangan
1 |subject doro bemor kega lilife |body vokor vorkan keze:2 togu:2 roda tangan biti ranvo gilan zorzo talor vufor randu miman regi rirangan zalorfe vozami nekagor mormanfan dalire
1 |subject vorkan lorlan |body raga:2 zedi:2 vokor sangu roda tangan ranvo bilor nifo beno fori nifa zanrorze tunofu
1 |subject sangu losan tuba kunusi |body raga zedi keze togu duki:2 lorlan budi kubo giru panzan zorta tandude gorbetan
-1 'letter218|subject zedi lunan landansi |body vorkan nopan vifan kope gitu demor fute gorsosa dananu bordeva
-1 1.5 |subject penan fuzo lorlu mano |body zedi vokor:5 vorkan:3 mornu mali lozor tuba vanlor sankan dofa bilan danbor revorku tufulo tilulor bulorsan
1 |subject daban talor |body doro togu:2 nido losan roda sorlo duki tolu rorti kansu torzo tafi mador nifa bilan sopor naror meborla sebanan binoma
1 |subject raga zedi rorti bokor |body raga:3 zedi:3 norne lozor tangan zure givo kansu:2 mikan nili zorna zopumi kormorpe gorsosa nazopa
-1 |subject keze dorgor zibozi |body zedi vorkan mali losan manpan dazu tevuti mesanre dupala
1 |subject vorkan lanmi dateko |body togu sangu tangan bormi kega torzo nanu gimorgi lilife
1 |subject zedi budi muvoma |body raga:2 zedi:2 togu roda rorti kansu lopi daban lilor nuka ferorsor kormunu pekere foluvo mankebi tavorfo
-1 |subject keze mador sedadan |body raga:2 zedi:2 vokor keze mornu lozor roda:2 kansu panban zotu kidilan banrele lamufe
1 |subject zedi tolu tofi |body raga:2 zedi doro sangu nido zure rorti gugo vorpor beno mador zorna faku vantuva korkuvi borrubi
1 |subject sibo zopumi |body zedi:2 norne dolan porro suva busor saran neti muni zumopa bazike
-1 |subject vokor gomor dufedo |body vokor vorkan:4 doro:2 togu norne babi vanlor lopi gitu lorlu vortan norzor vedan zolu:2 laban patagi
-1 |subject sepor fusorgu |body vokor vorkan nido tangan vanti bemor dorgor kope panru tubi tare zusi kofe para duzanfor tanlimo faredo babofe lorgugo felamu
-1 |subject norne nunan fusan |body vorkan penan lozor legan ranfan:2 tubi ziku donan tiran nosu novala putalu silaro gumage
-1 'letter231|subject zusi korpormo |body vokor lozor vanti nopan vifan tuba zure sorlo gori legan vanlor dorgan demor vipe vedan sepor vavan gantanfor tevuti sapegu mortorpor kezoki
-1 |subject lozor dofor kormu |body vokor vorkan:2 mali bemor vifan sorlo guva bormi fuzo manpan nifo lopi gandi tubi dofor sugi borsor nifenu zovevi mezoma fuloni
-1 0.5 |subject borgorfa papanko vunavu |body vokor:2 vorkan keze togu mali legan:2 vanlor nute tibe lase garu niro lesan bavi letor tanginu dukanze paloru silaro kurorsa panruma
1 |subject roda fapa |body zedi doro keze togu:2 losan roda morgan:2 kega kanti kafe manse lotezor sevigu vandizi neteror lemorga kavordor lomivu korvero vuzigu bumanle
1 |subject nekagor rafafa zomiru |body zedi:3 vokor keze losan lanmi morgan gugo keman daban zora meki redifor zanpusan banfeka zisava zesanne
1 'letter236|subject keze gefan kansu |body raga:2 zedi:3 togu norne losan roda lanmi:2 vifan ranvo suva rormi sugi gorfo vavanan mivorgu tomegu rangulu mandata
-1 |subject zedi vorkan luran |body raga zedi doro keze losan porro pumu lordu kegan sorkebe
1 0.5 |subject raga roda bemor zure |body raga zedi:3 doro:2 keze norsu lorlan morgan gefan porro fanbe nankan niro:2 gorsosa tamupan mangaka dibordu
-1 |subject babi zankuri |body raga zedi vokor vorkan:2 mali budi rosor tibe ranfan novor sana luvine vanpanu gazake fusanbe sankorgor nenanfor norbuko sefuva kugorzu
-1 |subject vokor mornu vanti |body vokor:3 mali vifan babi sankan gandi kegor vupi nosu meroko lebasan
-1 |subject dofa reza sana rannofo |body vokor vorkan togu mali lozor legan napan buse nibo sugi nangu sopor ziso fute zezo novorto fumumi borzanmu
1 |subject tolu gomor |body raga:5 zedi:2 doro keze togu lozor nido roda:3 lanmi zori gefan sugi sorke sevu foma biporvu
-1 |subject vokor tigan |body raga vokor:2 vorkan:2 sangu mali babi
1 'letter244|subject norsu kuzo |body raga:4 zedi doro sangu norne roda vifan sorlo dolan gugo porro nankan nanu kegor febo navato gudangu tornorbor kilozi
1 'letter245|subject zedi ranvo |body raga zedi:3 vokor keze zure sorlo rorti:2 budi kanti kansu zemi dorgor robo bogi modu manpize liforre vazandor
1 'letter246|subject keze norne |body raga zedi lozor vanti zure ranfan vipe nenan kidilan banfeka dupala
1 |subject zedi ganzan fepemi |body raga:7 zedi doro togu sangu torge dorgor nankan suva regi pibotu lanvedan manganro sisanfu gormomor
-1 |subject norne tugu fuzo vorgiran |body vorkan:2 mornu mali sorlo gori budi zeda tibe gandi vufor dubo zezo vavanan vaforpan vanpefi dorgezi
1 |subject givo noma komavu foluvo |body raga:4 zedi:3 keze:2 togu zure tolu budi sorran pema daban porguba mivorgu limanla korkupu vangorzi vivilo gamuman
1 |subject vanti tatefor |body raga:2 roda:2 lanmi zanle mador niro nobor fovile nosage
1 'letter251|subject doro porro davor |body raga doro norne losan roda lanmi tuba zori givo torge negor panru nanu talor kafe sango nankorro muvoma gosose netere binuvan
1 |subject vorkan porro |body raga zedi:2 doro keze roda biti norsu kega kanti negor porro keta sisanfu
-1 |subject vokor dorgan |body vokor:3 lozor losan bemor legan babi vorpor kope fori gandi ranfan giru lupo panban losova torbage landansi dirorva vetimo
-1 |subject vokor sevan dofor tornorbor |body vorkan:2 mornu sangu robo napan dofa kedor dorgan galaran fanmangu rorrevo
-1 |subject vorkan dorgor zorkanbi |body vokor vorkan:3 mali sorlo tolu vanlor vorpor panru lase gitu napan togi gopi vakan sanmi viman mopordo rurufe mesanre
-1 'letter256|subject raga tugu sevan rosopor |body zedi vorkan norne lozor tangan bemor tigan legan babi vorpor sevan moran demor goban bebu tokor manpize gantanfor vubego panvasa soviki
1 1.5 |subject zedi norne lorlan kubo |body zedi keze togu sangu losan norsu zori budi negor nankan tafi talor zora neti runan ranvi modor rupiri kilosa
-1 |subject vorkan mornu tubi |body raga vorkan keze mali vifan panga garu lorlu fitu susangor lornoke
1 1.5 |subject vorkan penan rova letor |body vorkan mornu lozor tugu sorlo tigan babi gandi tare beto nisan milu sana litu
1 |subject zedi zori lorlan zipi |body penan lanmi morgan kanti pumu para zukanno buneva
-1 'letter261|subject dofangor lorrandi |body vokor:2 mornu mali vifan legan guva duki bormi givo sankan ranfan meki lanlu novor ziso vuru fute zezo zorsese bifoku desevu panvasa
1 |subject babi panru |body raga zedi:2 losan babi norsu tolu rirangan ranlora rortormo datonor
-1 1.5 'letter263|subject vokor vorkan norne tubi |body mornu:2 tangan vifan bebu mabema guzanze nozandan nozuzan zovevi peforsu norkubi
1 |subject raga manse panlanfan |body raga:3 zedi keze:2 mornu tangan:2 morgan kansu gipa nankan kope mador vufor zora ziku zanrorze pomoso korkuvi bodorre
1 |subject raga tolu tanba |body raga zedi:2 togu sangu:3 penan zori side mufo gopi rere porove gorsosa
-1 |subject doro legan gazipo |body vokor vorkan:5 tuba legan dorgor kiba lisu lotu kima futan zezo zovevi
-1 0.5 |subject lomor danzorka nazopa |body vokor:2 keze togu mornu ganzan rova zeda kuzo topan tanginu pazansi fanpanro zisaman
-1 0.5 |subject manpan vipo gunoti |body vorkan:2 nopan legan:2 fuzo torzo fori garu napan lotu zora sana nitu bifoku babofe siforvi
1 |subject sangu zori zanle mufo |body zedi vorkan doro sangu penan dolan budi kanti lagor gilan luran miman loba vimuvor gozote pomoso lormorlu
-1 |subject vokor bogi duli disaka |body vokor:2 vorkan biti gori pebi nute kipi sevan gandi kevo tanba rannofo tannapor sapegu bazupi vanroba
-1 'letter271|subject zedi kormu tabavan |body vorkan mornu lozor legan babi pebi manpan roni tefa
-1 |subject fusor nanlaba |body vokor penan vorpor fuzo gefan kope fobi koliza zosapa silaro fesanvan tezoka rezodo bekuzor kuzide
1 |subject zorzo kegor forkigor |body raga:2 zedi doro keze penan norsu kanti kansu porro kubo forda nenu sanli gasu fime mandupo sisanfu
-1 |subject vifan tubi mikidan |body vokor fusor zeda dornan kiba rormi mano kormu lenidan fansube
1 |subject raga zedi veteni rafafa |body raga zedi mornu:2 penan tangan tigan dolan:2 duki randu tiran zotu gima savesi rifolor
-1 2 |subject panlevan bumuman |body vokor:2 vorkan:3 togu tuba legan fanbe fori garu topan pivan sorluru vilota nokordor
1 |subject zemi runan peko |body zedi:2 penan nido tangan zure legan kanti daban tofi lordu zosu nopa gelema pamoge bevino mandupo vesise lormorlu
1 |subject bormi lordordan |body raga:3 zedi keze roda tangan guva givo mador togi dibi vodetor zolango lorziro kedabo gotova vorbanra rorkupi
1 'letter279|subject ziku letor pafate |body raga zedi sangu penan:3 nido roda norsu gefan tafi zalorfe meroko tufulo kikanmi puvotan dofangor rormanso dovazan molona
1 |subject keze ganzan zorzo |body raga:3 zedi mornu losan:2 tolu kanti nankan zanrorze buranke bevino
-1 'letter281|subject gidomo gepusor |body vokor vorkan mornu mali nido lanmi guva pebi negor nute duli dorgan fanpanro babofe topaban
1 |subject kope beto |body raga vokor:2 vorkan mornu sangu vanti vifan tigan bilor dornan garu gitu kiba suno puke sopor panguda pevopo dangovi
-1 0.5 |subject pebi nuku pekor nopa |body vokor:2 nido losan fuzo dornan togi lanlu vakan pivan ferorsor donekan tesortan bornanman gizalo sordosor
1 'letter284|subject zedi penan torge dakipo |body norne penan:2 mali losan roda fano tubi gomor miman muvoma
-1 |subject vokor guva |body vokor:3 vorkan losan vifan budi zeda manpan dorgan nufe sanmi vipo putalu botorsa kuvada dokebi guruga dadomi pofuga gosorno
-1 |subject lotu nabega |body vokor:2 penan vifan legan:2 dornan kormu vipe bufordo sizofa tepila
-1 |subject vorkan sorran nuse |body zedi nido bemor legan roni tofi lubopu lordordan bazorgan mazene
-1 'letter288|subject rere gosorno |body vokor vorkan vanti mikan dofor sagi kima pekor novor lanzan zanman torbage mantorze dokorban
-1 |subject vokor |body vokor vorkan:2 doro:2 legan rova bilor lopi gandi suno sorve ferasi paduga lamufe lorrandi
1 'letter290|subject gefan vanrakor |body raga:2 zedi doro sangu mali losan zure ganzan:2 budi panga piso tatefor gisorbo pokivi
1 'letter291|subject doro kansu pekere |body raga zedi:3 keze:2 nido lanmi bemor zure babi fano manve lordu nunan modor dibi muni zopumi detanfa sovidan sezara norgemi
1 |subject losan roda nankorro zisava |body raga:2 doro:2 keze:2 mornu penan roda lanmi vifan sorlo norsu dolan kanti porro forfan suran zipi kidilan mulafo
-1 |subject vokor vifan babi bormi |body vorkan:3 mornu norne nido:2 nopan vifan biti legan dorgor ranfan rorto gitu sugi pivan mopordo dufedo pazanta bekuzor giviror
-1 |subject rova kuzo forvimor |body vokor:2 keze norne mali lozor losan gori zeda bilor panru gitu togi fobi munormor
1 2 |subject raga nankan |body raga zedi:2 lanmi rorti roni sokova mazute tulekan
-1 |subject vorkan dofor basozi fanpadu |body vokor vorkan nopan:2 babi pebi givo vorpor nani ranfan gilan sugi nenu safor vavan rotanpu rannofo sapegu lebezan
-1 'letter297|subject lorlu manforso |body vokor:5 vorkan mali nido tigan lorlan fano zanle gugo bilor kope vonor zorta zanrorze levoku kifanpi sukalu
1 |subject kegor sopor momoni |body raga:3 doro togu sangu penan roda:2 gori kega gipa musor bavi tunofu meroko porbigor gosose tomegu kordiri sorvivor
-1 'letter299|subject nido gugo porove lesornu |body vokor vorkan norne vorpor rosor mano duro luvine ferorsor vorgozor forvimor revebu mornorno
-1 |subject foso tokor disaka lortavor |body vokor:2 keze mali:2 vifan:2 bormi gugo vipi sorran gandi dornan napan kuzo dorgan lasa gantanfor rotanpu pezulan poduvan zorkanbi pokivi
-1 |subject mali zipi porove |body raga mali nido vanti rosor side tefa vakan tokor bomedan kangamu zorkanbi morkufor santanmo
-1 |subject vorkan mali vikumu |body vokor:2 vorkan keze mali lozor nido roda rormi fobofe bortabe pukepe
-1 |subject vokor bemor vifan savusan |body vokor vorkan nido nopan tuba pebi gefan sanli gorpu bidamor
-1 'letter304|subject vipi panga buranke zukudi |body vokor:5 vorkan:2 duki bilor robo rosor kope panru lorlu vonor muvor resan gusebe lanvutan fanganban
1 |subject duli norzor |body raga:2 zedi togu lisu ropor vakan zukanno gotova tozage zorpera sopanzor
1 'letter306|subject raga sangu gordorlan |body raga:2 zedi vokor doro norne lanmi:2 fusor zori bormi kansu nanu piso forda rumo tomegu zomiru gordorlan gireman fortuzo lavanmu torkado
1 |subject rorti kanti noma |body raga:6 zedi:2 doro dolan nani daban mufo vubego bisordor rinaman
-1 |subject guva bilor larati formanto |body vokor:2 vorkan keze:2 nido:2 tangan vifan nute forbu kormu danbor safor nitu sopanbu nandodi kitila kordiri motako
1 'letter309|subject doro givo lakotor |body mornu rorti kanti robo gipa nofe gopi nopa zezo tatefor sanlufor tomorkan
1 |subject zedi neti zomiru zortupor |body raga doro penan roda fusor dolan kanti gipa mesan
-1 2 'letter311|subject lozor bormuvu |body raga vokor:2 mornu:2 lozor losan bemor nopan biti babi ranfan dornan gilan mano nibo pumu vedan name refa pamoge nikize
1 |subject nido kansu |body zedi:3 norne vanti duki morgan gefan kansu nifo talor musor vifanbo sokova revebu motako
-1 'letter313|subject kipi foso |body vokor vorkan:2 norne lozor lanmi gilan dorbe vonor para zezo tesortan porannu
-1 |subject raga gavo rorlor rannofo |body vorkan tangan vanti sevan ranfan garu nufe gomor faku putalu satoba portortor sumiko
1 |subject sangu niro |body raga:3 doro:2 lase rormi zotu
1 |subject garu rosanfi pebanzu |body vorkan keze mornu penan lozor losan nopan tugu:2 biti guva sankan foso gilan ropor lankigu kunusi pazansi sadome
1 |subject zedi gori |body doro togu:2 roda tangan biti rorti negor fanbe nankan forbu dedeva mormanfan korkuvi dokorban
-1 |subject vokor rutiti |body vokor vorkan:2 mornu pebi dorgor kipi lorlu bavi gomor tokor sorve medanvor rifanpe forbata fanzure
1 'letter319|subject bormi gefan busor |body zedi sorlo legan bormi side fevi peko gono fotege vituze ramatu
-1 'letter320|subject raga sankan vorgozor zovevi |body vorkan:2 mali lozor fano garu kibor pifeni tesivan putalu meganzi kangamu kankorsor sadome
1 0.5 |subject penan nankorro |body raga:4 zedi doro keze:2 norne tangan gori duki ganzan budi kansu nifo kiba busor:2 rumo gono
-1 |subject vorkan mali |body vorkan:2 mali guva pebi manpan robo roni fanbe pemo name sifan sika para sanfa faku kunusi kurorsa norgemi duvanfi
-1 |subject vorkan fori |body raga vokor:2 vorkan:2 keze zure dolan danbor kofe zorru sana vorgozor nifenu
1 0.5 'letter324|subject suva dizevor nanzorvu |body raga:3 togu ganzan suva manki zankatu sepivan befaba
1 'letter325|subject fanka lomivu |body raga zedi:2 vokor keze norsu rorti torzo lilor borpu vizor lasa fumandan misanze
-1 |subject vokor mali gorbetan |body raga vorkan sangu norne nopan vifan legan rova sankan gitu lisu suno giru lanlu retu sifan leve letor manpize gibugor navato fanpadu liluban
1 0.5 |subject roda sopanzor |body raga zedi:3 togu norne nofe davor keta vavanan tevuti dorgivan pubeman bankuga fifazu donorfor
1 |subject penan ganzan rorbanri |body zedi vanti norsu zemi ransu puvotan vokanto tasorban
1 |subject dorgor ribi tinornan nornaro |body raga zedi doro keze togu losan roda:2 bormi rorti porro mador pekor demu vodetor fotege dagelo sokova motako gasebu kezedi
1 'letter330|subject zedi donan |body raga:2 vorkan norne norsu daban bazorpa somanva zitere zorganpu porrite
-1 |subject vorkan garu |body vorkan togu norne mali nido vifan legan torzo gandi dofa lorlu duli nitor beto lankigu panvuma pimorpe fornorro tanlimo gorgorru mankebi fanzare
1 |subject togu ropor zuzu |body raga zedi doro:2 keze norne tolu morgan kega gefan zora manse nunan ransu lera zanman tanzor lorsefor
1 |subject kope bopan gima moforso |body raga:3 zedi togu vorpor nofe dugor rupiri mandake
-1 |subject vanlor kiba |body zedi vokor vorkan mornu fano:2 fuzo sankan lopi foso tubi zusi giru ribi lunan bani gufor pifeni fusorgu desasu forvimor fanpanro fanzure
-1 |subject vokor mornu |body vokor:2 vorkan:3 bemor:2 vifan torzo suva fasan zorru zipu fupo lanzan ferasi botorsa kufida sefuva
-1 |subject raga sangu roda |body raga lanmi dolan zori bormi tolu porro lagor nisan runan
-1 |subject tangan duli |body biti tigan tubi bavi nandodi zitere lanranpi madozi lanvutan
1 1.5 'letter338|subject raga kanti |body zedi:3 doro keze roda lanmi norsu lisu piso buse forfan:2 vavan sorkebe sepivan
-1 |subject mali nenu |body vokor:2 vorkan mornu:2 penan:2 lozor nopan bilor vipi sorran kuzo lumor forvor nisan gozote pabanse sokova basozi zovevi fanpapo lorveke
1 |subject norne lilor |body raga keze norne roda vanti tuba zure ranvo kega lagor nanu muvor limanla naneli nozuzan gigilo
1 'letter341|subject vokor tuba gori |body vorkan:2 bemor vifan pebi nani rosor lorlu kanre demor ziza vorgiran dankini manmezu
1 'letter342|subject lanmi regi lomor seforbor |body raga:4 zedi nido biti fusor zori givo kanti nifo tafi pumu gomor rumo regi zanpusan mubaka zekiman rokanpor pornabu
1 'letter343|subject nuku vituze |body zedi doro roda lanmi tugu rova torzo lordu
1 |subject raga gori norsu tante |body raga zedi keze togu penan lanmi tuba zori nani:2 roni rosor nankan modu piki rirangan gekiri zadaku bezorpan
-1 'letter345|subject vorkan dofor fute |body vokor:2 vorkan sangu mali lanmi vanti tugu legan fori lumor zipu letor fobi pazela danzorka dakorde nozandan zeranvan vagulan
-1 |subject gitu napan lanlu fansego |body vokor vorkan mornu sangu norne mali:3 biti fano manve tubi gomor name tandugan batorze
-1 1.5 'letter347|subject mali lopi tare kandilo |body raga vorkan:3 mornu lozor tuba sorlo:2 fano gitu gilan nifa mano letor larati dekati gunoti ferasi labavor bufordo gasebu zelorkor
-1 |subject vanti keman lutako |body vokor vorkan mali vifan duki vanlor fasan gita banpe demu kusanvu butunor
1 |subject raga nifo nilupa |body raga zedi:2 roda gori norsu dolan bormi rorti niro lanlan tafufan fomenan gangorsi
1 |subject doro norsu benan |body zedi keze:3 nido roda:2 lanmi zori lorlan:2 vandizi sorvivor
1 'letter351|subject raga sangu penan lordordan |body raga:3 zedi penan:2 zure sorlo norsu piso sivan manse runan mama muni vevorvi
-1 |subject vokor givo fanvozu |body vokor:3 keze lanmi babi sagi vituze foluvo goloran kuzide
1 |subject zedi sangu gotova morribo |body raga:2 zedi zure ranvo dolan ganzan kegan laban vanpanu tamupan rebannan
1 |subject roda zariba buvaki |body zedi norne penan lanmi negor manve mesan filoru kosedu fanbutan
1 |subject raga kansu morfero |body raga:2 zedi vokor doro lozor bemor lorlan manpan roni lopi dofa zusi kegor nornaro sornene dorgivan satoba dalire
1 0.5 |subject zedi vokor tangan fano |body zedi nido roda vifan zure legan manpan nibo dorgan zulan tinosor bumakor forvobor
1 |subject tolu nanu |body raga zedi:3 vokor doro:3 roda bemor torge vizor torfor vokanto buvozu
-1 |subject nopan manmezu |body raga zedi vorkan tugu biti gori vorpor bilor kipi tubi lotu dorgan demor nangu bani sana zorsor pangiva guzanze dolilo vifange detigo
1 |subject keze togu lorlan |body raga keze norne losan roda tangan vanti gori:2 fusor zori keman sankan lilor dorbe mesan visu nobor banpe muvoma lorziro rorpanko
-1 'letter360|subject tibe pavannu |body fusor vanlor nani kope tibe ranfan fute lanfofan tepila
1 |subject raga zedi nute buse |body raga:4 zedi:3 keze sangu roda norsu kega porro nanu nuku panzan tatefor lapaban danzorka norfanu
1 |subject doro sibo miman ronosa |body raga doro:2 togu nido losan roda lanmi zure bormi morgan gefan zeda lagor:2 kuzo lordu zuzu lomormi borregan
1 |subject mador lanze rorfitor |body zedi:2 vorkan doro togu gefan sorran beno suva dubo
1 'letter364|subject keze roda morribo |body raga zedi:2 doro norsu zori kanti:2 zora piki tutormu filoru pantatu
-1 'letter365|subject pebi fute lomor bormabi |body vokor:2 vorkan mornu sangu biti kope:2 dornan nufe sevu fute gakenu matego fanbanlor
-1 'letter366|subject raga vokor tigan bufordo |body vokor vorkan mornu vifan tibe forbu lorlu nili sifan nubi bortabe
-1 |subject tangan rormi zipu |body vokor vorkan sangu norne mali nopan sorlo sevan tubi mifi sugi vedan nobor laban nitu
-1 |subject vorkan zusi |body vokor:2 vorkan:3 mali:4 lozor:2 vanti nopan tugu keman pibo sagi meki zipu pangiva gosorno
-1 |subject vokor nopan |body vokor:2 vanti babi vanlor sankan foso gitu meki lupo
-1 'letter370|subject vorkan nido |body nopan:2 zeda sorran mikan pekor tiran pivan dufedo mubura
-1 |subject vokor mornu nopan name |body vokor vorkan gori legan pebi manpan musor bazupi forbata
1 |subject lanmi nopan lapan gasorme |body zedi vorkan keze togu:2 roda fusor rorti givo robo kipi gipa manve kokanmi nornaro gosose landegan lankapan dinebor lormorlu
-1 |subject mali tangan vifan formanto |body vokor:5 vorkan mornu mali nido tugu babi pebi zori manpan sankan tibe kormu kima komudi dizeve botorsa katida vankivan
1 |subject tafi nanu sudanma |body raga:3 keze:2 mornu norne:2 lorlan rorti morgan side kafe zekorma borsulor forvubi lavanmu bikaman
1 |subject lanmi pekor bazorpa |body raga zedi:2 norne:4 penan roda biti zure kega budi suva lilor nanu lapan roke loba gorgorru sebanan morribo fepuku
-1 |subject mali pema fegan fansego |body vokor vorkan togu sangu norne nopan legan babi pemo tibe lotu kubo vipe lunan safor gekorse tornanta:2 kitila zanrudu naranda vunavu
-1 1.5 |subject vorkan lasu |body vorkan:2 sangu nopan sevan:2 gita satoba sedulu
-1 |subject vorkan tulekan |body vokor vorkan:4 babi:2 tolu keman lopi lapan demor sugi mama fobofe teketo putalu rordopor dovani kifanpi forbata betanmi
-1 |subject vorkan mornu porro |body mornu vifan zure bilor robo lisu lotu torfuvan manforso vibesa gorzozo nofasor
1 |subject keze pibo |body zedi vokor mornu penan roda bormi fano kega panga tanzor luvine tinornan tandude gotova kudaran giranman korruki
-1 |subject vorkan gita basozi |body vokor vorkan lozor nido lumor suno dorgan godesa susangor mortorpor
-1 'letter382|subject vokor nopan mifi |body sangu norne mali manpan kiba togi kofe vavan zuzorvo
1 'letter383|subject raga torge dedeva filoru |body zedi:4 doro norne penan losan:2 roda:2 lanmi vavanan landegan sokova fesanvan kinevor
-1 |subject vifan tuba dornan kiba |body vokor lanmi vifan babi rova porro napan lotu vipe pivan pezulan dakorde fanzure
1 |subject keman dornan |body raga mali lozor tuba manpan kiba dofa fusorgu manganu kanfezor nonefu
-1 |subject ranvo duro |body vorkan penan:2 pebi vorpor nani letor lanfofan
-1 |subject gori legan kope |body vorkan lozor nopan pebi:2 sevan lase kiba nuzan panban mapuna forkigor
-1 |subject vifan bormi kanti |body vorkan togu bemor nopan biti manpan roni sevan ranfan giru vedan dorbe sepor fute zezo nitu vanpefi
-1 |subject raga zedi |body raga:2 zedi doro:2 togu norsu kanti negor zulan fova nazopa zanzorman toborkan tornorbor
-1 |subject mali sorlo baruta |body vokor:2 sangu norne penan nido nopan vifan:2 tuba tugu biti tibe rorto gitu mifi zaban sanovo dufedo sevipa pirufo megibi gireman
1 2 |subject raga doro beno pupi |body zedi roda tangan mador rormi nenanfor mangaka fanbutan
-1 |subject nopan biti detigo |body vokor vorkan nopan tugu zorzo bavi lanlu reza zipu lopor gidador tibotor zitosi rozedan teduzo tanodi
-1 |subject babi randu |body zedi vokor:2 mornu vanti tugu fuzo mikan foso buse sagi nibo tefa vipo borgorfa vigizor mubaka vaforpan lotezor teduzo levoka
1 |subject zedi kikanmi |body raga:2 zedi doro norne duki torzo kunusi kelida fidebe lefankor tevela lomivu zifaga
-1 |subject nido zusi meki rafafa |body raga vorkan:3 dolan fori tare goban zulan dufedo kazemo sorpusan
-1 'letter396|subject pemo tanginu |body vorkan keze vifan:3 guva babi lopi kiba dofa lumor lotu ribi nitor mopordo rikeka
1 'letter397|subject gori roni |body raga:2 doro bemor sorlo norsu rorti talor kubo forda modu tortango kisefa
1 1.5 |subject raga zemi gando sidute |body zedi doro keze norsu givo rova kibor minan nankupan demorvan
1 |subject keze tozage |body raga:3 zedi doro losan biti zure gugo vizor romizu gepetan doforri zadaku girasu
-1 |subject vokor nido gilan sibo |body vokor vorkan:3 mornu:3 nido vifan:2 dornan suno dorgan vedan nisan gufor fobofe tornorban sorfigu fanpadu nikize nozandan fumumi
1 1.5 |subject tolu gorfo rorbanri |body raga:2 zedi:3 doro lanmi:2 dolan mador pibo kafe borsor tante zolango vangorzi norfanu
-1 |subject vorkan sutuban |body vorkan keze vanti ganzan manpan tubi zono ripo larati zezorre
1 |subject zedi keze |body raga zedi:2 togu zori nifo manve nanu moran pupi kubo keta laban meroko dagelo zorsope
1 'letter404|subject raga penan kanti sanfu |body raga:3 zedi norne fusor norsu duki tolu givo gipa rorto zorzo zanpusan rupiri zanzorman kudaran lanvina
1 |subject negor moran |body raga:2 zedi:6 norne nido lanmi givo gugo kega budi mikan lagor talor gosose dufanlu lunizu sanbanle nabosu
1 2 'letter406|subject mali lanmi gubanni |body raga:2 doro togu sangu norne dolan negor gipa nankan panru tare vonor ranvi fanka leve nuzanla damorpan zorformor
-1 |subject vorkan zorformu |body sangu bemor nopan sevan tibe pumu fuva gufor dukanze darorza disaka torbage senanmi dokorban
-1 |subject bordeva vesise |body vokor vorkan sangu mali:2 bemor tugu tigan babi vanlor dornan pibo beto gavo rotanpu putalu nifenu nipegor lurele
-1 1.5 |subject lorlu togi mazene |body zedi vokor:2 vorkan:2 keze bemor nopan vifan:2 tigan keman manpan bilor rorto kuzo zusi lesan manganu vanroba forgodan gaforpa
-1 |subject penan bemor |body penan nido nopan:2 guva ranfan letor bibosor
1 'letter411|subject ganzan mufo mama |body keze togu zure roni gipa forda nenu nopa tiran zanrorze pukanpan
1 'letter412|subject mornu zori givo tiranpa |body raga:2 zedi:4 norne:2 dolan torge robo gipa vufor zorna modu nopa fevi movusu nonefu kudaran rereli kugorzu
1 |subject sangu roda nili lorganda |body zedi vokor doro:2 keze sangu nopan porro kuzo talor forfan suran leve mandupo komanpi zeluzor sifanbi bubega
-1 |subject zedi kiba basozi |body vorkan roda vifan:2 babi bilor sevan foso togi nangu sanovo manganu nozandan zazudor bivovor mibidi
1 |subject zedi zure nuzan forfan |body raga zedi:3 penan roda tangan vanti bemor tolu givo porro gipa niro kubo modu zanrorze zopumi beganvi
-1 |subject nani safor fuloni |body vokor vorkan:2 mali vifan ranfan luran dorgan danbor kevo minan zipu para gozote rotanpu fusorgu bordeva venipa karufe
-1 'letter417|subject vokor vorkan mali fano |body vorkan penan mali vanti:2 nopan vifan legan morgan pema tibe dufedo babofe
1 'letter418|subject doro nankan vortan |body raga:4 zedi keze tolu torzo kipi netere
-1 'letter419|subject tangan randu nangu |body zedi vokor vorkan togu tangan nopan gori babi nibo lupo fobofe tepila dangovi
-1 |subject biti mifi |body vokor vorkan mali losan tangan vifan rosor mano vavan vorelan torkado dupala
-1 'letter421|subject bemor lapan panlevan gepordo |body raga vokor vorkan:3 norne nopan vifan:2 biti pemo
1 |subject zedi losan pebi panga |body raga keze lozor lanmi tangan zori bormi porro mikan febo kazaro tororbu nanbodo
-1 |subject vokor fusor gita mesanre |body vokor:2 doro nido:2 nopan:2 guva babi ganzan tibe mador moran luran kofe zolu lomor koliza bomedan gorforgi zokigo
1 |subject lanmi bormi |body raga:3 doro togu:2 norne zure nifo fanbe foso vizor fotege ronosa sanlufor lomivu repuze
-1 |subject vorkan gorsosa kitila |body vokor:2 vorkan mali fano gilan niro lesan kormu norzor saran para muvor pezulan bomedan morlaban mivorgu fepemi lotezor lanvutan didire
-1 |subject vokor vorkan zovevi |body vokor mornu penan lozor tigan pebi zeda zemi roni lesan pumu dorgan rorge fute fanpanro lutako megibi gusigo
1 2 |subject raga doro negor |body raga zedi:3 doro togu roda tugu morgan tafi nuku neti ranvi rumo lopor kidilan korkupu:2
1 |subject raga dedeva |body raga:4 zedi sangu:2 zure:2 norsu zori kansu nifo nobor parimo zipuda vorburor gidomo
-1 'letter429|subject mornu norne dolan |body raga losan roda zure bormi suva sivan borsor modu loba nesepo
-1 |subject zedi mali gitu |body raga zedi:2 keze sangu nido lanmi zure zori dorbe gazake tuseda dofangor muvuma zadaku
1 |subject raga rorlor rirangan |body zedi keze mornu sangu tangan tuba sorlo norsu:2 vanlor zeda ranfan zorzo bogi lordu bokor pafate fantefo
1 |subject raga lanmi legan manve |body raga tangan zure rova manpize beganvi nubifo suzida
-1 |subject bilan bazorpa |body vorkan:3 togu sangu mali:2 nopan:2 tuba legan kofe zaban:2 lankigu fusanbe zeluzor nitili
1 |subject vokor tolu |body raga zedi penan nani beno panga reza rirangan moforso keduso
1 |subject negor lopi daban |body raga:2 zedi doro keze togu tuba rorti torzo tofi neti manse gelema puvotan pobobu
-1 |subject lorlu peko rotanpu porlira |body vokor:4 vorkan:2 togu fano vanlor gitu bokor morlaban losova nadorro
1 |subject zariba danzorka gilorve |body raga zedi:2 togu:2 roda:3 zure dolan zori borsor letor gozote lorziro:2 rokanpor
1 'letter438|subject zedi mali kansu |body zedi penan:2 losan porro nute side gopi minan manganu nankorro tibanti fidebe nanmasi fosanfa lufanmor
-1 |subject vorkan rormi lozovu lorveke |body vokor:2 mornu lozor vanti sankan bilor zorru manganu tanlimo
-1 |subject nisan gantanfor |body vokor:2 nopan vifan tugu budi nani nifo fori vavan fobi vubego vangamor fobofe pezulan kosedu gotusa
1 1.5 'letter441|subject ralorror ronanpor |body raga:3 doro togu mali roda lanmi fusor rorti morgan porro gasu fova roretu dedabi
-1 |subject pebi gorpu soneror |body raga vorkan:2 mornu lozor nopan legan:2 fusor zanle nute:2 moran gita goban kofe banran kazaro baruta gekorse rosanfi pinimor
1 |subject norsu ganzan tolu |body zedi keze:2 norne roda zori tolu rorti morgan nani gipa mesan fapa sango dedansor ganmedo misanze gorvabe girasu rortira
1 'letter444|subject vokor vorkan doro bormi |body raga zedi vifan keman tafi govugor keduso gamuman
1 'letter445|subject mikan pupi vivilo |body raga zedi:2 doro lozor kanti vufor zimi nefa lonade bikaman
-1 'letter446|subject zedi legan pebi |body vokor:2 nido lanmi bemor ranvo rova fuzo manve lase forvor kevo nufe mama porlira lorganba fagortor dovani vanpefi nigunor
-1 |subject bilor suno mano |body vokor:3 vanti vifan guva norsu ganzan nani pema nankan pemo pekor nufe ponomo
1 |subject sorran sezara |body zedi:4 keze sangu roda sorlo ganzan rorti vipi porro manve nenu kofe rorge fova manpize gormomor lorsefor
-1 |subject mornu losan bilor reforka |body vokor:4 vorkan:2 keze togu penan bemor nopan babi bilor bogi sagi luran pisu rorlor viman vangamor nankimu lorganda lopanpi
-1 |subject goban tanriva |body raga mornu norne mali tangan bemor vifan babi lopi kuzo fasan mano beto ripo laban paloru novorto silaro landansi forvobor belonor dangovi
-1 1.5 |subject mornu pema gorsosa |body vokor vorkan mornu nido tuba sorlo babi givo vorpor fuzo lopi suva sagi lapan goban lupo lunan sanli lopor bufordo selobor nofasor
1 |subject sorlo dolan zanle |body raga:2 zedi doro norne roda babi dolan gugo gipa kuzo lesan lordu sibo nunan lera biporvu tornorban kazugi keduso
-1 |subject mali gita mituki |body vokor:3 vorkan:2 mornu norne nopan vifan:2 babi keman nute forbu mifi vonor sanmi rorge nirasor gusigo
-1 |subject limilu gusebe pebanbor zotiga |body raga:2 vokor vorkan nido:2 tigan legan ranvo ganzan kansu tare lesan norzor vipe nangu beto gorpu dipone nokordor
-1 |subject vokor fasan |body keze norne mali tangan bemor biti zori bormi tubi luran dorgan sibo zipu medanvor fanmangu vezalu
1 |subject doro luran |body raga:2 zedi:5 mornu:2 sangu losan:2 tangan nopan sorlo norsu tolu lisu retu mufo ganfan dilankan tasorban
1 |subject tolu nili vorkorfe |body raga lanmi lorlan lanzi mama sango bazorpa vorgorgu rormanso gumage forbanna ramatu
-1 |subject bemor legan |body penan tigan tolu vipi kipi side lotu lorlu mifi vedan ripo vubego vangamor lisozu bumuman pibodu
-1 |subject vokor vorgiran disaka |body vorkan mornu tuba tugu tigan legan babi zori rosor panru duli demor sopor name desasu nozandan
1 |subject raga zanrudu |body raga zedi:2 keze nankan tofi nitor bezorpan
-1 |subject vokor tigan keman denelor |body keze mali vifan:2 fuzo lumor sepor gakenu vigorfan
-1 1.5 |subject vokor nibo zorsor |body vokor vorkan doro mornu mali:2 bemor nopan tigan guva:2 vanlor dorgor kope:2 dorgan lanlu gopi milu viman bazorpa
-1 |subject vokor legan kansu bilor |body zedi vokor vorkan:4 doro mornu nido vifan sorlo legan nute pibo beto danno banran rupiri ziborme losova fanpipor forbata korvero
1 |subject keze tangan beno zorgofu |body raga vokor doro:3 sangu roda tangan ganzan lorlan zemi porro musor modu forfan vavanan sedadan vituze sokova santovan gusigo gamuman
-1 2 |subject pemo duro |body raga vokor bemor pebi vanlor keman gitu:2 lotu bilan buse retu sanmi tornanta lasekan sanbanle
-1 |subject vokor mama kibiman |body vokor vorkan:2 mornu norne penan nopan:2 vifan legan vanlor nani kansu manpan dovani ludante panvasa pokivi
-1 |subject lotu viman kuvada |body vorkan:3 mornu tangan vanti vifan:2 sorlo tigan morgan gugo bilor kope mifi nili fusanbe:2 kebasi
1 |subject zedi lorveke |body raga:2 zedi:2 togu:2 lanmi:3 fusor pebi dolan zori rorti keman nifo foma levoku tatefor pusorpa morradi nibido
1 |subject raga porlira fepemi |body raga:4 zedi togu lozor lanmi biti tolu rorti:3 ropor fitu fuva forte mirorno dovaro sorginu
1 |subject raga ganzan napan |body raga:4 zedi doro budi nifo manve dornan saran komavu gosose limilu revebu fikandan fanbutan
1 |subject losan zorna tanlimo |body raga zedi:2 doro:3 losan sorlo dolan duki rorti gefan nifa regi gima gelema putemu sorvivor
-1 |subject danbor laban |body vokor nido sorlo legan givo sevan lotu bilan vortan mifi tavi zanman revorku kidilan bufordo kazugi siforvi mantorze sabazan menoli lilife
1 |subject raga roda lanmi ropor |body raga:2 zedi:3 doro keze norne roda:2 lanmi tangan keman sankan mador nenu gima korkupu
-1 |subject nopan rorto tefa fibafa |body zedi lozor sorlo babi nufe mesanre pidavan forbata
-1 |subject pebi nifo kiba susangor |body doro bemor:2 vifan dolan kiba nufe mubura kannida borrubi
-1 |subject mali zipu nekagor |body vokor mornu lozor roda bemor fanbe tibe fotege dosangan tanzige fuloni
-1 |subject togu fanbutan |body vokor mali vifan zori dornan sanli lankigu medano senorfo
-1 |subject zure davor vokanto |body raga:4 zedi:3 doro losan lanmi biti ganzan ziku sutorlu korkupu lagudi mulafo bazike nusamo nesepo
-1 |subject danbor saran zipu resan |body vokor vorkan:2 gori legan babi sankan porro rosor kipi lopi lotu kormu demor nufe tefa zipu tanba fobofe medanvor katida gepusor
-1 |subject vokor nopan kuzo |body vokor:2 nido bemor tugu rova foso togi sanfu faku vimuvor bortabe
-1 |subject luran faku nageror |body vokor:3 vorkan mornu mali:4 vanlor pemo dornan mano pivan dananu botorsa zafumor doforri fanganban borzanmu
1 1.5 |subject doro roda gori mivorgu |body raga zedi:2 vokor doro:2 keze mornu sangu norne lanmi vanti zure fusor norsu tolu vorpor budi gefan suva mikan lomivu fodorsi
-1 |subject nopan dolan dorgor kuzo |body keze mali bemor gugo sankan lotu donan mama bepovi
-1 |subject nopan pibo kofe bazupi |body vokor keze vipi napan nangu forfan novala fibafa sadude zeriku
-1 2 |subject vokor sorke |body vokor vorkan mornu tigan gugo robo daban kiba pupi togi:2 kormu davor vonor sepor lazanko gubanni gusebe sizofa lamufe
-1 |subject zolango dankini |body lozor losan tugu manpan vipi dofor giru reza tilulor gotorme
1 'letter487|subject losan moran musor |body raga zedi:2 doro nido roda fusor dolan zori tolu:2 suva nanu mador buse musor silaro pukire fandupu fikago
1 'letter488|subject side kidilan |body raga:3 zedi:2 togu zure porro busor keta forbanna vituga
1 |subject nifo gasu vakandan |body raga:2 zedi togu mornu roda:2 sorlo gori norsu tolu fanbe
1 |subject talor zeranvan |body zedi norne tuba gefan nifo kubo tanzor bimorran ziborme sebanan kisetor sarizi
-1 |subject vorkan duli sorgegor lanpandor |body zedi:2 vokor vorkan tugu pebi vorpor mano sugi sanfu bani nirasor zumopa dizevor
1 |subject zedi gefan bafuza bikaman |body raga:4 zedi togu lanmi:2 zori lorlan rorti nuku miman fime detanfa vibesa dagelo tanlimo vorkorfe zekiman lemorga
-1 |subject norne lozor gitu |body vokor:2 vorkan nido vifan fuzo nufe nageko sisanfu denelor
1 |subject zedi side |body raga:2 zedi doro:3 togu roda zure babi morgan:2 torge nifo negor kanre noma nenan vituze pafate nageror bazike samordu
-1 |subject mornu mali tefa buranke |body vokor vorkan togu nido vanlor rova mifi fova lopanpi giviror
-1 |subject mano ziza rotanpu panvuma |body zedi vokor:2 norne mali zure sorlo manpan torzo tubi sagi lanlu gavo vasago lubulo duvanfi tomorkan
1 'letter497|subject norsu zanle ganvizo |body doro tuba sorlo nani forda dorbe darorza govosu tivolu
1 |subject mali vorsanlan |body zedi vokor:2 vorkan mornu nido tangan nopan vifan:2 vanlor fori dornan lase lumor saran vedan name gakenu nankimu lorganda liguran tilulor
1 |subject vorkan penan loba korkuvi |body togu:2 norne ranvo pema side zora kegor morgedan ralorror
1 |subject zedi vituze danzorka |body raga:2 zedi:2 norne losan roda:2 gori rorti gugo kanti tofi kubo dorbe mivorgu lisozu santovan somala fadorla nilupa lugeda
1 'letter501|subject raga zedi lasu |body raga:4 doro lanmi zure kipi niro sivan musor puke nobor gorsosa bimorran
1 |subject raga negor |body raga:2 zedi:2 togu roda bemor morgan zemi dofa lorlu dorbe lopor pamoge lagudi fandupu bafapa binoma
-1 |subject fusor dateko |body doro mali:3 rorlor gozankor vorfuzor gumovan
-1 |subject vorkan borgorfa |body vokor:3 mornu mali nido vanti:2 bemor babi suva kope dofa forbu demor fute bifoku dirorva rorrevo
-1 'letter505|subject vokor vorkan rinaman |body vokor:3 vorkan mornu losan tangan nopan fori panban muvoma zangela dobolu
-1 |subject tigan zanle |body zedi vokor mornu mali roda nopan vifan babi lanlu beto kofe safor nudiku butunor katida
-1 |subject vifan gozote |body vokor:2 lozor bemor nopan vifan:3 gita puke sanfu sanli disaka fuloni pinuran
1 |subject zedi sorlo vizor suzida |body raga:5 zedi keze lanmi ganzan rova porro vufor zora kanre runan kikanmi tiputu pekere sefove zitere gornordan bekunor
-1 |subject vokor tefa letor bobapo |body vokor tangan zure budi keman bavi demor vakan lanzan dekati mazene mikidan
1 |subject zedi donan zanrorze |body raga zedi:2 doro norne losan roda zure rorti:2 zeda beno kibor sorke gopi dinebor korfapi
1 |subject raga vorkan manse |body raga:2 zedi roda ganzan gipa kuzo sivan mufo landegan somala govosu dovazan
1 |subject togu kuzo noborpa |body raga zedi:2 doro:3 lanmi lorlan givo buranke kokanmi sisanfu norfanu fosanfa
-1 'letter513|subject vanlor bilor puke |body vokor vorkan sangu gugo vipi dorgor panru tubi gitu napan dofa lotu talor suno gita dorgan name vavan larati lorganba sisopu torbuvan
1 |subject raga duki zori mama |body raga:3 zedi:2 vanti gipa busor sika
-1 |subject mali manpan vipe |body vokor vorkan norne losan nopan vifan sankan ranfan lumor nofe dorgan reza lupo lanzan fute nanlaba veteni kanmuge zovevi mantorze fanmangu nabega bapeke
1 |subject norne lilor |body raga losan:2 roda lanmi zure norsu rorti porro daban mador:2 musor mesan zulan gasu gotova zorpera rereli
-1 |subject raga norne kofe |body vokor doro mornu losan tugu bormi dofor mano:2 foma
-1 |subject bemor zezo |body vokor vorkan:2 doro roni gandi dofa gando zezo
-1 |subject letor sesisan |body vokor:2 togu mali lozor nido biti zanle manpan kope foso tubi novor godesa sevipa dorzasu
-1 |subject vorkan legan keman kangamu |body vokor togu vifan tugu sankan nute vipo sifan sanfa fobofe rannofo pazansi lubopu lannipu tanlota
-1 |subject vorkan zeda gilan nifusa |body vokor:3 vorkan:2 mornu:2 mali tangan tugu dorgor nuku:2 novor leve pezulan muvuma bunanlor kavoma
1 2 |subject zedi losan vituze tutormu |body keze:2 togu:2 lanmi tangan biti zure keman panzan tatefor kukoro
1 |subject raga zedi nido suran |body raga:4 zedi vokor penan roda zure fusor kega zemi gipa lagor moran sivan mesan nankupan kibiman sogefe misanze
1 |subject fusor butunor |body zedi:2 doro togu guva givo budi:2 gefan porro fegan buranke movusu komanpi porkubor fadorla veteni satoba dannoti gorlanto lumedo
-1 2 |subject pebi sevan |body vokor:2 vorkan mornu bemor tigan babi beno kiba bilan vortan topan lunan gibugor lankapan
-1 0.5 |subject bemor morgan nibo |body vokor:3 vorkan:2 togu mornu lozor vifan biti tigan legan gefan torge sevan demor lusa mesanre tilulor dorrano zafumor noseba
-1 |subject vorkan lozor buse |body vorkan doro mornu nani vipi kipi kope gitu topan zipu seforbor gufolo keligo nitili
-1 |subject nopan fano vavan bufordo |body raga vorkan vanti rova zolu monorlor bezaman pirufo fansego
-1 'letter529|subject tolu gugo |body raga:3 vokor vorkan:3 penan vifan gori tigan pebi lotu norzor tokor letor viman pamuror mopordo rosanfi zorremu
1 |subject mornu rormi |body raga zedi:2 doro nido bemor biti ganzan gefan zemi niro nofe naror roke zalorfe bezaman zomiru
-1 |subject lozor fasan bavi danzute |body vokor:5 vorkan:3 doro mornu vanti tugu legan vipi dorgor gita kanre demu pamuror nornaro zanpusan vandizi zitosi
1 |subject raga zedi |body zedi:4 doro:2 keze togu penan roda biti gori lorlan kanti tofi lera vavanan lorziro tanzobu pidavan goloran
-1 |subject zedi doro lanmi |body raga togu mornu norne losan roda ranvo dolan tolu lesan zuzu zotu zuneso
-1 'letter534|subject vorkan gori larati |body zedi:2 vokor:3 vorkan:2 nido sorlo guva zanle vipi kipi gilan fute fobi viman tevuti tunador mabema lisozu mikidan tomorkan
-1 |subject vokor forte tatefor |body vokor vorkan togu penan vanti kiba sagi nibo nunan refa leneni lufanmor soviki
-1 |subject vorkan fano |body vokor nido bemor nopan:3 givo zanle sankan kope mifi nisan sifan sana faku vimuvor baruta vubego gorforgi goporti vorvorre
-1 |subject guva gantanfor manforso |body vokor:2 sangu mali nopan tugu biti legan nuse rotanpu tornanta fanpadu
1 'letter538|subject zedi lagor niro |body raga zedi doro penan lorlan kanti keman gipa gorsosa bibosor ziborme
-1 |subject mali losan vanlor nibo |body togu mornu sangu vifan tuba:2 legan:2 kansu dorgor foso lorlu forvor pamuror babofe kesafor
1 'letter540|subject zedi filoru |body raga:2 zedi:3 doro penan roda sorlo rorti gefan porro ranfan lilor vakan vantuva soneror
1 |subject norne roda lorganda tanzige |body raga:4 doro:2 keze:3 tolu gugo kansu:2 negor pupi regi tiran vorsanlan zumopa mologor gilorve kutefi
1 |subject norne roda tolu pangiva |body raga:3 zedi doro sangu lozor losan sorlo norsu dolan zori fanbe nankan rormi kibor mufo nopa sango bornanman zansenan tasorban lokorde
1 |subject bilor lilor |body raga:2 zedi doro keze losan roda lanmi sorlo gori:2 vanlor rova zora vortan nenu nuse nopa noma sedadan patagi kilozi fifazu
1 |subject zedi keze |body togu sangu bormi kega moran musor rokan sango lozede nusamo
1 |subject duki zanle rere |body zedi lozor zure sorlo norsu ranvo zori rova goban kudaran repuze
-1 |subject vokor tubi |body zedi vokor vorkan keze sangu penan vanti nopan vifan tugu sorlo guva pebi sankan tubi dofor vortan kibor demor ripo pazansi zarandi didire
1 'letter547|subject raga togu vavanan |body raga:2 zedi fusor tolu kega rosor manve tafi giru luran forvor manse nobor pomoso vorkorfe dofangor selobor repuze
-1 |subject vorkan lotu |body vorkan:3 togu norne mali:2 lanmi vifan pema nute dornan runan fova nifusa farorvor fanpipor bivovor
1 'letter549|subject zedi fime tigor |body raga:2 zedi:2 doro:2 penan:2 roda vanti dolan zori bormi vipi porro kedor ranvi dagelo:2 kifanpi toborkan pigorle lakotor
1 |subject bormi rorti rorto musor |body raga zedi lanmi duki lorlan rorti tafi nanu lanlan rorzegu zanrara
1 |subject raga roda zorsese moforso |body vokor:2 losan nuka febo ganupan zudube zekiman nilupa
-1 |subject vokor lozor |body raga vokor keze penan tigan ganzan rova vorpor:2 lotu lorlu pisu sugi porlira vifange sorzoti lanfize
1 |subject keze togu danzorka tanlota |body raga:2 doro keze sangu mali losan negor:2 lilor lisu gidador borsulor bivoso sabazan
-1 |subject vifan zolango |body vorkan nido roda guva dolan viman kebika landomu
-1 2 |subject vokor borgorfa mubura dipanpan |body vokor:3 vorkan vanti babi vanlor sevan danbor mubiru
-1 'letter556|subject keze lozor sevan |body vorkan legan norsu givo morgan kanti sankan dofa dorgan ribi nuka pezulan kifanpi forvobor
-1 |subject sevan vangamor manpadan |body raga vorkan norne lozor babi vorpor zeda vipi togi puke vipe biporvu pokoza lortavor vivilo
-1 2 'letter558|subject vorkan topan gazake |body vokor:3 vorkan tugu biti morgan:2 dorgor kope mano porguba
-1 |subject vokor kima mazene |body vokor vorkan:3 togu mornu babi fusor kope lorlu sagi kormu ziso danno duzanfor dukanze ganupan fufefe kazugi manmezu
-1 |subject sangu vuru |body vorkan mornu sangu mali nopan norsu lorlan zeda negor sevan dornan gitu dofa sivan pisu puke borsor nili fusorgu
-1 |subject legan guva |body vorkan keze norne mali tigan:2 ranvo kope dofa dofor retu name:2 resan zorbeka novorto mesanre lebasan
-1 |subject lanzan navato |body vorkan vifan tugu legan ranvo pebi kope kormu vipo lisozu bidamor
1 'letter563|subject zedi keze lanmi musor |body raga zedi:2 keze norne lozor roda zure duki rorti nupu kedabo zansenan nesepo
1 |subject vanti legan tibe |body sangu kanti gandi togi vume vuru sumiko datonor
-1 |subject vokor lopi manugo |body vokor mornu:2 babi:2 pebi:2 ganzan vanlor zeda kuzo duli demor nufe lunan porlira bezaman medanvor nokordor savusan kidotu
-1 |subject mali fano fusorgu |body vorkan tangan vifan tuba tigan fano lumor lotu bilan zolu gorzozo rafafa
1 |subject togu norne lanlan rakafu |body zedi:2 vokor doro keze togu sangu norne roda lanmi duki tolu:2 gipa lagor vufor kedor lanlu zotu manpize tandude
-1 |subject mali vifan giru |body vokor vorkan togu nopan norsu zanle dornan dofa pibo nufe zorru para tavi zezo tanzor faku vorsanlan pekere porrite bunanlor karufe kurekan dupala
1 1.5 |subject raga sose kidilan |body raga zedi:2 nido zori negor forfan peko manki novorto
1 |subject zedi doro roda tolu |body raga:2 zedi:2 togu norne losan lanmi rova lagor lorlu kubo nenu gomor dagelo lorziro
1 |subject zedi lanmi sorran |body raga keze togu mornu sangu:2 norne:2 zure kega dorgor moran talor mesan nobor sana gima rorsanne zanpusan silaro ganmuge kilozi
-1 |subject vokor mifi |body raga zedi vifan legan vanlor rova foso lesan bilan vipe dofangor torbuvan gavanvi
1 |subject vokor doro |body raga:3 zedi keze:2 losan dolan nifa lapaban vorkorfe satoba purako rozantu
1 |subject zedi togu |body zedi keze togu nido lanmi:2 zure vipe
1 0.5 |subject tolu kanti panru fazave |body raga:6 zedi norsu zori morgan talor buranke fotege torbuvan
-1 'letter576|subject vokor vorkan |body zedi vokor:4 vorkan:2 losan guva lase zusi dofor mano gantanfor tatefor sedulu tabanfan
1 1.5 |subject tuba kanti |body raga zedi lanmi:2 norsu dolan futan fime motako
1 |subject keze panru nifa damorpan |body raga:3 zedi vokor keze:2 roda tugu dolan kega kanti gipa dofor rorlor torpiru rokanpor
1 |subject nanu sango gimorgi |body doro zori lorlan tolu roni gipa pekor loba
-1 |subject porlira dufedo |body norne bemor babi sankan garu sibo sifan fupo fibafa formanto lotezor susangor
-1 |subject mornu babofe mazene |body togu mornu:2 mali:2 bemor norsu fano manpan tafi gilan lesan kima nangu bordeva dilankan zorformu
-1 'letter582|subject vorkan bemor vedan fenumo |body vorkan:2 mornu bemor vifan legan pebi lupo zorna para ferorsor
1 'letter583|subject rorti dodumi vevorvi zurokan |body raga:4 zedi roda:2 tangan vanti nopan fano rorti kedor pumu lanvedan begazo
-1 2 |subject vokor vorkan fobofe limilu |body vorkan mali vanti bemor:3 nopan vifan biti tigan pebi vorpor torge rorto mano sibo sanfa sorgegor limilu fansego pokoza bubega lumantan
1 |subject raga rova beganvi levoka |body raga doro:2 mali vanti gori tigan dolan:2 kanti gefan kansu:2 tafi ranvi bebu fanvozu zeriku
1 |subject vifan novor lankigu lordordan |body vorkan:2 mornu penan dorgor moran lanlu larati butunor norfanu bafapa santanmo
-1 2 |subject norne manpan lankigu darorza |body raga vokor vorkan losan tigan guva torzo nankan rorto:2 banran rannofo lanranpi vagulan
1 1.5 |subject zedi zori tunofu |body raga zedi:5 keze sorlo duki ganzan bormi kanti nifo lilor suran gorfo danzorka sorkebe rorfitor
1 |subject ransu dufanlu |body raga:2 sangu roda zure guva ranvo rorti pupi sivan nifa lordu runan zanrorze sedadan morgedan mologor zitere mandata guruga
1 2 |subject raga zedi porro dedeva |body raga doro togu:2 nido losan ganzan nani fanbe zanman sanfa meroko dofangor nudati
-1 |subject vokor mali zemi novor |body vorkan mali lozor nopan:2 tuba ganzan gandi nuzan pisu nanepa vanpefi forsumo
1 |subject tuba suno |body raga:3 losan ranvo tafi kavordor korvero
-1 |subject penan vanlor vankivan |body doro nopan kope fori nisan lupo sana rannofo forvimor zopuvor
1 'letter594|subject zedi tolu runan |body raga:6 doro sangu norne mali nido losan lanmi gori gipa forbu modu zotu pafate
1 0.5 |subject kanti nofe |body raga zedi:3 doro:2 togu sangu lozor nido roda lanmi ganzan zori lopi tibanti gornordan
-1 |subject norne kope mebiru |body vorkan mornu legan babi ranfan dofor giru ziza pivan gazake borgorfa faredo rafafa kufida
-1 0.5 |subject vifan buvangi |body vorkan:3 lozor vifan budi mikan tubi lumor buse gakenu tefuzo benazu zovevi rezodo fansaza
-1 |subject zedi norkubi |body vokor:2 mornu penan tigan legan budi rosor ranfan rorto kiba lotu kormu forvor vedan bazorpa fornorro morlaban guzanze pareta nageror zanlozo rurorkan
1 'letter599|subject zedi torge lormorlu |body raga:2 zedi togu mali lanmi zori kega porro lagor forfan rumo
1 1.5 |subject kega gidador gilisan |body raga:2 keze:2 mornu losan tangan sorlo ganzan kope nuku kuzo ransu tiputu sorluru zazudor luzopo sifanbi nabosu
1 0.5 |subject tigan zipu sevigu |body raga:3 zedi:3 doro:2 keze torge negor nanu vakan runan fime tibanti dateko kudaran tanzige zanrudu kilozi
-1 2 |subject vorkan sangu tubi |body vokor vorkan:3 doro nopan givo zeda pibo lorlu mano togi gita nangu gasu fuva tiran pezulan lanfofan tonuki pibodu
-1 |subject tibe dufedo |body zedi bemor legan forbu danbor lasu nufe sibo lebasan
1 'letter604|subject raga kuzo |body raga zedi:3 keze togu roda lanmi zure ranvo lorlan panru niro kafe manki dibi porguba dagelo
-1 'letter605|subject vorkan side |body vorkan:3 norne mali bemor vifan:2 gori zanle keman lopi gilan lasu gavo sanmi fute tanginu porlira lenidan morsanbo
-1 |subject nopan panban |body vokor vorkan mornu nido roda tigan:2 dornan tare:2 banran dubo fobi sornene benazu ganmedo rozedan rilile
-1 'letter607|subject lisu sanmi |body raga vokor vorkan:2 mornu:2 sangu penan mali losan nopan guva rorti kormu ziza:2 levoku nofasor torbuvan vezalu
-1 |subject vipe guzanze |body raga vokor vorkan fano sorran kevo detanfa vaforpan betanmi vunavu dangovi
-1 |subject panru gunoti |body zedi vorkan mornu penan mali vifan fano vanlor vipi:2 kipi dornan garu foso gilan danbor vedan reza nangu sepor lanzan sapegu rordopor
1 |subject tangan zori gefan memogi |body zedi:2 losan babi fusor givo rova kanti
-1 |subject mornu banpe nolose |body vokor doro sangu nopan vifan duki rosor foso gitu dofa demor zimi kevo tafufan mituki lomivu landansi gosorno batorze
-1 |subject tuba gitu |body mornu mali:2 vifan gori zori sevan gitu mador lanzi zorsese pazansi fansaza
1 'letter613|subject zedi lilor ludante |body raga zedi zure zori robo manve lagor niro lanlu tufulo morgedan
-1 |subject lozor bormuvu |body vokor:3 mali nopan:2 rova vipi fori danbor ziso sanfa kusanvu gorforgi dovani zorgofu karufe
1 |subject raga keze nido dolan |body raga zedi:3 vorkan keze togu lozor lanmi fusor dolan nifo porro lase borpu kanfezor kopuni
-1 'letter616|subject vorkan lopi |body zedi vokor:2 togu vanti:2 bemor pebi morgan gitu kuzo lumor nibo kormu gita miman panlevan kitila borsulor naranda lortavor
-1 |subject zanle pibo |body vokor:4 norne dolan vipi nupu komudi mabema datonor
1 |subject zedi lozor fusor |body raga:4 sangu tuba nankan bapeke dorvodan
1 0.5 |subject fusor gando |body raga:3 zedi vokor keze togu mornu losan bormi tolu zanle budi fuzo vufor musor modu perapu mefite zidufi liforre
-1 |subject raga fufefe |body raga zedi:2 doro keze togu lanmi tangan givo zemi lopi panga talor retu forfan bazorpa gimorgi tutormu korkupu fanpanro bunanlor savebi gansila
1 |subject tugu rorti daban |body zedi doro togu:2 penan losan lanmi:2 vanti tuba tolu gefan nenu leve seripor rornago suzida panlanfan
-1 |subject vokor bilor tofi teduzo |body vokor:3 vorkan penan beno kope fori:2 rorto buse danbor vedan vavan para nubi lankigu mubaka mazute vokanto bivovor forkigor pevorfa
-1 'letter623|subject vokor lomor bulorsan |body vokor:6 vorkan nopan tugu biti fuzo nani gitu pibo mano lasu safor lusa zalidi torbage tesortan pibodu
1 |subject norne zori ziborme rorfitor |body raga:3 mornu norne tangan norsu tolu nisan mesan rumo zaban danmorni
1 2 'letter625|subject zedi rorrorban |body raga duki mikan niro nofe nuse lupo nenan fegan panzan nornaro romizu nekagor foluvo gilorve
1 |subject raga zedi zumopa |body raga:3 zedi:2 keze sangu losan lanmi bormi budi tafi lagor kegor manki gima gosose borsumi molona
-1 'letter627|subject vorkan bemor |body vokor vorkan:3 nopan pisu mifi danno lanborro dipanpan
-1 |subject fobi baruta selonor |body vorkan bemor nopan biti pebi gugo roni torzo lumor zolu sifan demu bazorpa nezedu fobofe lisozu fanpadu kitila lasekan
-1 'letter629|subject vokor bilor tinaro |body vokor vorkan keze tangan dofa demor nufe sanfa duzanfor fornorro pivapu
-1 'letter630|subject guva faban |body vokor vorkan mornu vifan:2 tugu babi lopi forvor bevino zovevi kankorsor
1 |subject raga fanbe nili morlaban |body raga zedi:2 lanmi gugo lorlu dorbe panzan beganvi danzorka
-1 |subject vokor lozor |body vokor vorkan togu mornu mali vanti zori napan meki sugi zorsor lutako
-1 'letter633|subject guva lesan rere santovan |body raga zedi doro togu:2 lanmi:2 rorti morgan vipi robo noma sukesi butunor
-1 1.5 'letter634|subject tuba visu rordopor |body vokor vorkan rova pemo dornan garu vonor morruse ludope
-1 |subject vanlor mifi |body vokor nopan:2 tigan keman sevu larati ferorsor lorganda somanva zovevi
1 |subject zedi manlegu |body raga zedi:3 vokor togu roda lanmi duki kansu rorto musor dorbe lasekan fanpapo dorvodan
-1 'letter637|subject dofa vipe baruta |body vorkan mali lozor:2 vifan faban para banran
-1 'letter638|subject lesan mufo |body raga vorkan doro sangu vifan legan lase kiba vipe gogu beto zezo tanginu porlira gunoti pazansi nofasor betanmi sefuva rifolor gepusor
1 'letter639|subject luran morgedan |body raga:3 zedi togu penan lanmi zure norsu zori rorti zanle kanti negor zorganpu
-1 |subject vorkan mornu vifan kazemo |body vokor vorkan sangu lozor:2 lopi pemo gandi lase napan pibo vortan danbor:2 gavo pangiva pimorpe nikize modanti lutako
1 'letter641|subject doro tolu rormi |body raga:2 doro vifan ganzan lilor kidilan vubego nubifo dorgivan
-1 |subject vokor nopan vifan |body norne tugu babi busor lapan tefa borpu loba lankigu sutuban
-1 |subject zedi togu gomor panban |body penan mali nopan vifan fuzo dornan garu sugi tefa fuva pivapu kufida donorfor
-1 |subject fano danbor |body vokor mornu fusor zemi tibe nili lanborro lotezor lortavor
-1 |subject nido gilan reza zalorfe |body vokor:4 vorkan togu tigan zanle kega reza muvor
1 'letter646|subject zedi niro |body zedi:3 vorkan bemor tugu norsu dolan fano tolu:2 budi tafi piso lanlu nopa zaban faku tutormu portortor
1 |subject foso zeluzor zegansu |body togu losan guva bormi kanti sankan faban kezedi
1 0.5 'letter648|subject raga nanu zulan |body raga zedi doro keze norne losan roda tangan fusor ganzan nifo negor lopi vimuvor gazipo zanrudu
-1 |subject vokor norne |body vorkan norne mali lozor tangan nopan biti sanfu kofe porove paloru vubego nanlaba santovan noborpa tanodi
-1 'letter650|subject mali napan |body vokor keze lozor vanti tuba gori bormi sorran sevan foso kormu zezo gesanto fusanbe fornorro tanzobu fapeze
1 |subject tafi mador |body zedi doro keze togu roda lanmi tangan dolan niro kedor lasu vizor botifo
1 |subject zedi nofe |body raga:6 zedi losan kega tafi mikan gilan kanre febo lapaban vituze
-1 2 'letter653|subject vokor mornu sankan |body vokor:3 vorkan doro lanmi vanti tugu manpan lopi gandi pekor duro letor muni gageror sankorgor pavannu kesafor mubiru nitili
1 |subject fusor rorti fime |body raga:2 roda lanmi zure ranvi meborla lofode
1 |subject raga saran purako |body raga vokor lanmi:2 norsu vanlor kega budi kibor noma loba lasa ridusor nageko limanla gidador bortone ramatu
-1 'letter656|subject mano lagudi |body vokor:2 vorkan norne bemor babi gilan giru nufe goban vangamor forvimor sutuban teduzo tokanre naranda pofuga vorelan romimu
1 |subject zedi togu lanmi vorbanra |body raga zedi:3 norne ranvo ganzan givo kipi nankan garu nofe vizor loba rornago nudati fandupu rubube
-1 |subject vorkan dofa lidapi zidufi |body vokor mali nido fano:2 kansu mifi lanzi dibi lanranpi sorluru
1 |subject mornu guva lordu |body raga vokor vorkan mali losan vanti tugu norsu rova manpan kipi sevan togi nufe tefa lupo fevi para tante lanzan lordordan peliran
-1 'letter660|subject morgan nibo |body vokor mornu mali tangan nufe bebu pamuror rorsoban nonefu lanranpi vorroki
-1 |subject vorkan norne tigan |body mornu nopan:2 vifan:2 rosor ranfan togi nisan sifan rorge sibego koliza gozankor lanfofan pokoza bazorgan
-1 |subject vanti lase busor |body sangu legan givo bilor nute kope ranfan fute godesa kormorpe meroko gageror gorgorru fezanlu
1 'letter663|subject lozor lilor mador |body raga:2 zedi:2 lanmi norsu rorti gipa dorbe ransu zuzu zotu porguba torfuvan rorfitor danmorni
1 |subject roda sorlo manve muleno |body raga:3 zedi ropor zanlo tunofu lankapan vakandan
-1 'letter665|subject zedi sangu |body raga zedi keze nibo gita kegor gavo mesan lunan nobor tiputu bankuga kobanbi
-1 |subject norne dazu |body mali bemor:2 vifan manpan bilor fori dofor sorve zezo tornanta desasu lutako
1 |subject raga sangu morgan memogi |body raga:4 doro:2 roda lanmi tugu zure:2 sorlo gori bormi pemo daban vavan rorsanne bomedan torbode zanzorman kisetor
-1 1.5 |subject name kormorpe |body vokor:5 vorkan:2 nido losan tuba rorti zipu vavan para norkikan
-1 |subject vorkan pupi |body vokor vorkan doro:2 keze lanmi vifan zemi sagi lanlu rorlor sifan tavi nozandan nanepa tinare ganmeran
-1 |subject vorkan suva lupo |body vokor:2 vorkan bemor:2 nopan vifan bormi nani tibe kuzo niro lumor danbor bavi revorku takanlor gunoti kilosa borrubi mornorno dupala
1 2 |subject ganzan rereli |body raga zedi:3 mornu tuba fepemi danganzor
1 'letter672|subject zedi norne kansu manpize |body raga:2 keze:2 penan losan roda bormi torge tofi panzan mamiva pekere mangaka nibido buvangi
1 |subject togu tuba |body raga:2 zedi:3 doro mornu norne zanle gugo nifo porro rere zumopa fesanvan zanrudu
1 |subject zedi roda |body raga zedi doro vanti dolan budi beno rormi kedor zorna gudangu
1 |subject zedi |body raga:2 zedi doro keze togu:2 sangu nido biti lorlan gipa filoru buvozu
1 'letter676|subject doro torge ranvi |body raga:2 doro togu roda dolan kanti modu piki bazorpa mazute
1 |subject doro lilor nankimu |body zedi:2 doro:2 togu penan:2 nifo pemo niro topan gono vodetor mebiru
-1 |subject vokor bemor pisu |body vokor mali vifan bokor sanmi sika novala kovogo botorsa kosedu pivapu
1 'letter679|subject zedi porro |body raga sangu torzo ranvi gando regi gotova kurekan
1 1.5 'letter680|subject tangan neti |body raga zedi tolu nanu musor nitor noma:2 zipi banran darumi sordaso
-1 |subject vokor tinosor rosanfi |body vokor:4 vorkan mali vifan tigan guva fusor morgan fuzo dorgor dofor demor bopan tanginu tunofu lanborro vorgozor mamiva serelor vanlemi
1 |subject dolan zolango |body zedi mornu norne lanmi keman vipi vufor musor gima kanmuge sisanfu sidute
-1 |subject fobi matego |body vokor vorkan tangan nopan:3 dorgan navobor zeranvan
-1 |subject raga dorgor suno lagudi |body vorkan:2 togu mornu tangan nopan:2 babi:2 morgan manpan nuku buse danbor nefa sanmi vupi sanli nenan sibego sapegu katida vezalu
1 |subject raga runan lapezan |body raga dolan zori torge nifo negor panru lera fibafa sudanma
1 |subject raga zedi givo muborbu |body zedi doro roda lanmi ganzan sankan moran kegan nuka tandude
-1 |subject biti napan |body vokor vorkan:2 keze:2 togu:2 sangu mali nopan pebi sevan dornan napan pibo tare lapan muni kusanvu pezulan fagortor kitila lannipu
1 |subject porro tunador mankebi |body raga zedi:2 lozor lanmi tolu rorti porro pema tafi kedor kafe ropor manse zorna regi panzan gima kikanmi porfozo lusaran bekunor
1 |subject zedi mali kubo |body zedi:3 vokor togu nido roda ganzan sivan nefa neti gireman
1 |subject raga togu |body raga:2 zedi:2 doro mornu bormi tolu gefan forfan duneso sukalu zopuvor
-1 |subject sorlo dorgor vanpanu dorvodan |body vokor:2 vorkan:3 nopan guva zanle sankan suno gita ripo dekati gageror sankorgor fumumi rorrevo
-1 'letter692|subject vokor nanropi |body vokor:2 nopan:2 vifan pebi manpan nute tibe daban lumor vufor nufe kofe nirasor lenidan sadude ritaza guzeda zidufi
1 |subject raga ranvo ganzan |body zedi penan roda:2 lanmi zure manve nifa ransu nobor sebanan lorzasor forkigor
1 1.5 |subject raga lapezan |body raga:4 zedi:2 keze mali lanmi tolu rorti gipa nanu gita nofe vortan tamupan
1 |subject norsu zemi felamu |body raga doro tugu ganzan zori negor vupi tabavan
-1 |subject vorkan sangu |body zedi vokor:3 doro mornu penan mali nopan vifan:2 vipi ranfan foso forbu ziza forte gakenu
1 |subject zure vanlor noma |body raga doro:2 keze togu sangu bormi torge porro kiba niro rumo zotu lera vavanan porrite pubeman lornoke
1 |subject raga zedi vokor rorti |body raga:2 roda tolu vavanan filoru dosangan zeranvan lumedo
1 |subject sangu norsu rorti |body raga:3 zedi:3 vorkan losan tuba fusor rorti vanlor keman nanu mador forda vupi lanze zorta tornorban vorkorfe bobapo sorvivor
-1 'letter700|subject vorkan mornu lozor togi |body raga zedi vokor:2 vorkan:2 keze nido bemor togi novor vupi kangamu fogive dokorban
1 'letter701|subject zedi norne lilor roretu |body raga:2 zedi norne:2 tolu kega forda nenan tibanti zisava
1 |subject zedi bormi |body raga zedi:3 togu roda vanti pema mikan resan gelema morruse lakotor mapuna lumedo
1 |subject vorkan sangu losan gefan |body raga zedi roda zure duki tolu morgan fuzo daban sivan:2 nofe mandupo sornene kirava
-1 'letter704|subject lanlu bopan |body vorkan:3 mornu mali nido tigan vanlor dornan:2 kormu nubi vanpanu lorganba bornanman fanmangu
-1 |subject vorkan legan gandi zusi |body vorkan mali:2 lotu zosu botifo vasago sizofa buvangi
1 |subject biti zanrorze |body doro togu:2 sangu norne ranvo dolan zori bormi rorti kanti moran kedor norzor borpu fevi zorta zuneso panlevan kanmuge savebi zorformu
-1 'letter707|subject lisu lornoke |body raga:2 zedi vokor:2 vorkan:2 keze togu mornu mali nido losan sorlo zanle lotu norzor rorsoban labavor zorforpan
-1 |subject lase bivovor |body zedi vokor:3 vorkan:2 keze penan vifan tuba tugu pebi ganzan lopi sagi rumo gazake gageror dakorde lisamor lisozu tororbu rifolor
-1 'letter709|subject penan tare zariba lufanmor |body raga mali vifan:2 legan babi givo pemo foso lisu faban gorpu sibego mologor zesanne sadome fansube
1 |subject zedi lilor lagor |body raga:4 zedi:3 doro togu lozor roda dolan sorran lilor nifa mesan lera paloru zanrudu
1 |subject manve nunan fibafa |body raga:2 zedi:2 norne mali lozor duki lorlan rorti morgan kega tafi pupi talor kegor beto kidilan mivorgu tibanti bormuvu zisava
-1 |subject zedi morgan noma |body raga zedi:2 doro:2 lozor ganzan lorlan tolu lilor zorna minan gufor tiran modor
-1 |subject vokor panru tanginu |body vorkan:2 sangu dolan pemo fori kodasa zalidi lufanmor
-1 |subject vokor togu lorlan |body zedi:2 vorkan:3 mali:3 bemor:2 sorran pema pibo lorlu bebu bordeva pivapu tezoka bunanlor korfapi
1 'letter715|subject niro forvor pafate |body raga zedi lanmi zori rorti gefan neti gando
1 'letter716|subject raga gima novala zazudor |body raga:3 givo kega fanbe keta vupi korfapi
1 |subject morgan porro paragu |body doro keze lanmi zure sorlo ganzan bormi suva talor goporti nikanne
-1 1.5 |subject fano manpan gitu |body raga vokor:3 sangu mali bemor tigan fusor lorlan nili name tiran bazorpa nanepa zisava fikago kavoma ganfansor pofuga
-1 |subject legan ziza |body vokor:2 keze sangu mali lozor vanti legan pebi tafi dofor nufe fitu fuva sevu pivan vimuvor borgorfa ludope landansi befaba pebanzu
-1 |subject zedi biti sankan lasa |body raga:2 zedi:2 togu guva ranvo bormi kanti zemi sorran milisu
1 |subject dolan pekor |body raga zedi:2 doro sangu norne roda:2 tugu ganzan porro:2 niro tofi leve zanman limanla sevigu dufanlu dorrano kobanbi
-1 'letter722|subject babi lopi tare bamanve |body vokor keze mali vifan tuba biti gori babi manpan sugi lopor dubo vorgiran duzanfor tangego pimorpe mivorgu
-1 |subject vokor togu lotezor |body vorkan togu losan nopan vifan:2 pebi vanlor zeda manve garu tare vedan lunan lanborro rordopor gumovan zurokan bunanlor sefuva
-1 |subject nido duli vonor |body vorkan tangan vifan fusor fuzo:2 lorlu goban gazake komudi mazene
1 |subject raga rorti mador zulan |body raga:5 roda bormi fuzo zemi nifo zorru gasu
1 |subject zure porguba |body raga:2 zedi doro:2 roda:2 vanti gori rorti kanti manpize gosose zosapa porfozo zorgofu vorgorgu paragu goporti
-1 |subject vorkan mornu gefan |body raga vokor norne nido roda vanti bemor babi fusor vanlor givo nani forda pivan torfuvan basozi modanti zorganpu nanmasi zorformor zikore
-1 |subject sevan bogi |body vokor bemor nopan gori dornan togi nuse bebu peko ranteku rurorkan tomorkan
1 'letter729|subject zedi doro gipa |body zedi:3 doro keze:2 togu sangu roda legan ganzan morgan kega gefan porro sorran kegor sika visu sose:2 zanrorze filoru
-1 |subject mali bavi dateko |body vokor:2 vorkan mornu:2 legan babi kope dornan bogi lanlu kofe panguda panvuma tandugan pezulan vilota norbuko dangovi
1 'letter731|subject kanti forkigor |body raga:4 doro sangu penan bemor manpan porro tafi lilor zorzo kanre sibo zulan zopumi vokanto rorfitor zesanne pofuga
-1 |subject gori vanroba |body vokor:2 vorkan:2 keze tangan nopan kanti dorgor tibe ranfan tubi dofa benan porlira rusuna
1 'letter733|subject raga sangu |body raga:3 zedi:3 vorkan doro keze penan lanmi zori lagor niro rumo peko dazu tanzor lorziro kedabo dinebor peforsu saguru
-1 |subject ganzan tare |body raga zedi vokor mornu norne zure legan fusor napan dofa kafe pekor vume safor tavi nubi fobofe fogive nikize tezoka mazene
1 'letter735|subject raga nofe mantorze |body raga:2 keze bormi gefan lanvedan mankebi fikago
-1 0.5 |subject vorkan pebi lusa faku |body vokor:3 vorkan zure nani manpan lopi forbu kormu gomor zipu tokor gesanto gelema kankorsor fuloni ganmiban pevopo
-1 |subject nido tigan ranfan dakorde |body mornu mali tangan nopan vifan babi fano dorgor nute tibe:2 dofa bilan sagi pekor pangiva mesanre bekuzor batorze
-1 'letter738|subject sankan kibor gozankor torkado |body zedi vokor vorkan doro togu nopan kope:2 dornan pupi nufe vonor navobor kurorsa zorformu
-1 'letter739|subject fuzo vufor nuse |body vokor mornu norne mali biti legan keman kiba lordu dorgan rankopi tinare
-1 'letter740|subject vokor nopan |body vokor vanti babi pebi:2 lopi bavi vedan vavan panban revorku porlira sopanbu mazene
1 'letter741|subject lozor bebu torpiru lubopu |body zedi:4 doro:2 keze penan roda lanmi negor nankan suva nuku rere lopor zopumi gazipo
1 |subject zedi ralorror |body raga zedi togu ranvo dolan bormi nuku fime bankuga misanze pevorfa
1 'letter743|subject keze biti legan gita |body zedi doro:2 babi zori keman zaban kegiki forbanna:2
-1 |subject mornu tibe kormorpe sutuban |body vokor mali roda tigan legan tubi kiba mano tatefor zosapa zankuri vituga fenumo
1 |subject doro pebi porove gornoka |body raga zedi keze:2 norne roda babi duki bormi nanu tare saran rorrorban
1 2 |subject zedi nuku |body raga zedi doro keze roda:2 gori gefan manve nankan lilor nenu loba febo dazu satoba nopabi govosu
1 |subject nido gorpu tatefor muvoma |body raga zedi doro nido lanmi:2 biti bormi morgan rova nofe gando nosu lorganda netere lurele
-1 |subject vokor demu zosapa |body raga vokor:2 vorkan mali:2 nido fuzo nifo pisu ferorsor sorvandu binuvan rusuna rifanpe ponomo zukudi
1 |subject tugu tatefor |body raga zedi:2 vokor keze lozor losan dolan:2 rorti nani sevan lanlu suran kazaro tunofu zumopa kikanmi lanvedan romizu sorkebe gangorsi lormorlu
-1 |subject givo formanto vezalu |body vokor vorkan:2 bemor nopan vifan tugu fuzo kanre nufe novor kofe lanlan torfor ferorsor vangamor vaforpan nifusa naranda vagulan pebanbor zankuri
1 |subject roda kega komavu kirava |body raga:4 zedi vorkan doro keze tolu bilor moran zora lordu nitor komavu dosangan farorvor bekunor sadome vorpave
1 0.5 |subject raga nido dedeva |body raga:2 zedi:2 doro norne lozor biti fusor vorpor mivorgu mazute fomoge zansenan
-1 |subject vokor vorkan gori vedan |body zedi vokor vorkan:2 mornu penan lozor nido vifan sika milu pamuror nobapo
-1 2 |subject vorkan kule |body doro keze mali:2 tigan danbor para rorferu dangovi
1 |subject raga norsu saran |body raga zedi:2 vorkan doro:2 keze ganzan tolu torzo musor:2 reza gando noma gorlandor govosu gilorve
1 |subject zora lanze |body raga keze:2 roda torge zorzo kubo pekor lamufe tanriva
1 |subject vorkan penan vufor runan |body raga zedi:2 doro losan fano zanle lilor vufor kedor manki takanlor mandupo
1 |subject norne bezorpan |body raga zedi:2 doro:2 sangu lanmi norsu dolan bormi panru garu talor vufor miman nuka nobor tunofu pazela sanlufor dannoti
1 |subject doro nenu |body raga zedi vokor norne roda:2 lanmi biti ganzan mador porove gazipo dorgivan
1 'letter760|subject tangan zori rova norzor |body zedi keze roda biti tolu zeda torge negor porro robo pema peko kanzormo tuseda tilulor tibotor seforbor pukire tasorban
1 |subject gori pema kubo rorrorban |body raga zedi togu:3 norne lanmi sorlo morgan mano foma ranmaror gizalo sutangu
1 |subject zedi kanti tiran |body raga zedi doro keze:2 mornu tuba guva tolu rorti kanti gefan suva kedor mesan tigor gisorbo gumage darumi sododi
1 |subject raga norsu lorlan kegor |body raga:2 doro keze mornu sangu roda duki zori givo kansu torge roni lisu musor busor mankebi paduga kilozi forletor
-1 |subject vorkan duli vifanbo |body vokor vorkan nopan biti:2 budi fuzo nani pibo sibego
-1 |subject lozor gakenu |body sangu:2 lozor vanti bemor torge pibo:2 lumor lotu puke dorgan sibo faban panban dukanze fusanbe basozi tortango forbata rezodo vorfobor zikore
-1 |subject pebi zeda rosor nibo |body zedi vokor doro lozor nido tigan:2 ranvo pebi fori dorgan fornorro bisordor resadi
-1 |subject lumor sanli |body vokor:3 vorkan sangu lozor bemor babi dornan tubi tofi fasan vipe tavi zorta sorluru tortango forvobor gevodan
-1 'letter768|subject vokor mali dorgan visu |body vorkan:2 mornu legan dorgor mifi tefuzo mituki sorzoti borguto
1 |subject zedi kima |body raga zedi doro roda zure gori ganzan morgan kanti buse dagelo bivoso
1 |subject vanti tafi lasu munormor |body raga:3 togu mali nopan bormi rorti torge musor kule resan tinornan kokanmi tiranpa fikago saguru
-1 0.5 |subject vokor zori vanlor |body vokor:2 vorkan doro mali bemor ranvo lase tubi kiba lorlu zulan zolu pivan tinosor fagortor pebanbor
-1 |subject nopan vorpor lopi lesan |body raga vokor penan mali nido vanti fano ranfan kiba goban kofe lopor donekan medanvor nifenu panlevan fanpadu lanranpi rorfitor vanpefi
1 |subject raga norsu rumo seripor |body raga:4 keze:2 roda:2 rorto sopor name rorlor zumopa mivorgu pubeman mankebi kilozi bifanru
1 |subject zeda modu |body zedi:2 keze dolan gilan gomor ranvi suran losova zopuvor
1 2 |subject raga manse fanbutan |body raga:3 zedi doro losan tangan tuba ranvo zemi garu saran vupi gorfo tunofu
1 |subject lanmi tolu niro modu |body keze togu sangu norne sorlo davor meganzi memogi
1 'letter777|subject lanmi tolu kega lilife |body zedi norne penan:2 tangan tuba rorti gugo gita manse tasorban nesepo
-1 |subject vokor dornan nisan |body vorkan doro sangu lozor sorlo legan guva zanle bilor tare pupi lorlu randu duli tanzobu lotezor
-1 |subject forvor lapezan |body vokor:2 vorkan:2 tangan sorlo lorlan rova nute mikan dornan lumor luran bavi rurufe zuzorvo
1 |subject raga ranfan |body raga:2 zedi:2 vorkan keze:2 togu:2 sangu losan sorlo duki zori lorlan kega lase piso rormi kubo fanka borguto mibidi
-1 |subject vokor nopan fusan |body vokor vanti tugu budi foso dubo faku megibi vanrakor
-1 |subject vorkan kipi |body vokor:3 vorkan:4 mornu penan nopan tigan babi givo tubi lorlu kormu sugi gavo name lanzan lizorvi larati pibotu
-1 |subject pemo dorrano lumantan |body vokor vorkan kope pibo piso para faku porlira bormabi lorganda midimi zorganpu
-1 2 |subject babi gorpu |body vokor:2 vorkan sangu norne penan nopan:2 vifan guva panru gilan dofor nufe runan benan nikize senorfo sesisan giranman
-1 |subject legan sevan zoduvu |body vokor:3 vorkan mornu:2 norne lozor bemor vifan guva babi ranvo pebi tofi beto duzanfor fansego ganfansor mornorno dupala
-1 |subject zedi keze sangu kevo |body vokor doro sangu tugu tigan ranfan tare dorgan sibo mabema pinuran dokebi duvanfi porrezo
1 |subject keze roda gima zolango |body raga:2 zedi:2 keze mornu sangu roda:2 gori reza lormorlu
-1 |subject togu nosu larati |body vorkan:2 mali babi pebi givo mikan beto sanmi lanzan lofo duzanfor zuneso ferasi pinuran buvaki
-1 |subject doro dornan sanmi |body vorkan:3 penan nopan:2 tugu pibo zolu gozankor fobofe bomedan kibiman zelorkor
1 |subject raga gipa |body raga:2 zedi:2 roda lanmi norsu dolan lorlan bormi rorti beno nankan tafi:2 nanu mador fapa noma muvor mivorgu lofode
-1 |subject vokor rosor tubi sorgegor |body penan losan nopan:2 sorlo fanbe kope ranfan zusi duli beto ziza faku tesortan
-1 |subject raga keman |body keze mali:2 nido bemor vifan guva fusor ranvo rorti rorto kima vipe muvoma ronosa zeluzor
1 0.5 |subject raga doro roda tangan |body raga:3 nido roda vifan zure rosor tigor munormor fidebe rokanpor lemorga gasebu bafuza
1 'letter794|subject doro ridusor sododi |body vorkan doro keze togu:2 nido fusor tolu givo zanle porro gandi niro vufor buse kubo nangu nunan ransu tafufan zolango nazopa
1 'letter795|subject doro roda dannoti |body zedi:3 doro keze:2 togu sangu roda norsu duki morgan talor forda kegor sika modor gorpu mologor madozi
-1 |subject demor zudube |body vokor:2 vorkan mornu fori fitu madozi zafumor
-1 |subject nido lanlu |body zedi vokor:6 nopan bilor dorgor sagi:2 reza zipu novala mabema babofe bazupi
1 |subject movusu tibanti |body raga:3 zedi:2 togu mornu sangu norne lanmi:2 porro sorran kazaro tomegu mumorku
1 |subject penan ganzan |body raga:2 zedi:3 doro norne roda dolan gefan napan moran sivan zanlo kormunu novorto netere banrele
1 |subject zedi lorlan tefa |body raga:2 doro ranvo tolu robo tavi tafufan sukesi butunor keduso
-1 |subject vokor keze norne dinebor |body vokor:3 vorkan mali vanti nopan tigan fano kope tibe napan pibo lotu vedan:2 keta pivan gubanni nozandan susangor zidufi
1 |subject raga doro buranke |body zedi togu tuba gipa manve rere tanba lemorga
1 |subject tuba gefan fanvozu dorvanman |body raga:2 keze togu lanmi vanti tuba sorlo norsu zori gugo kega lilor forvor lapan fevi puvotan detorfe
1 |subject zedi vorkan roda zori |body raga lanmi tangan bemor zure sorlo norsu tolu kanti fobi torpiru satoba
-1 |subject suno vipo fanzure |body zedi vokor togu:2 tigan zemi vipi tafi fori nuku lordu kevo retu tandugan tanodi
-1 'letter806|subject daban nikize |body mali:2 lozor vifan foso bavi dovani vanrakor
1 |subject zedi dolan tolu pumu |body raga:4 doro roda norsu tolu rorti zanle kanti porro gipa lilor rormi fupo fanka levoku sutorlu seripor lanborro korkupu zesanne
1 |subject raga nopan norsu |body raga:2 keze duki morgan porro fori kedor kafe bokor gimorgi panlanfan
1 |subject roda vituze dedeva |body raga roda zure:3 dolan zori porro gipa fusan dofangor losogu bekunor lapannor
-1 |subject kope norlifo |body vokor:2 mornu sangu mali vifan babi rova lotu mano kofe ziso minan duro larati dukanze noborpa vankivan tanzige sukalu vifange mazene zidufi
1 'letter811|subject raga keze |body raga:2 doro togu roda kega nuku rere netere tutate
1 |subject norne seforbor tukandu kuzide |body raga zedi:2 doro keze losan:2 roda gori tolu budi panga nuku vufor dorbe fanbanlor kefona pusorpa pebore sododi
1 |subject raga tigan nifo nankan |body zedi penan losan ranvo kedor dorbe regi donan beganvi kudaran tutate
1 |subject raga ropor |body raga:6 zedi roda:4 tugu dolan givo fuzo tafi panga rumo borregan fantefo
1 |subject rorti niro zora zumopa |body raga:2 zedi:2 doro penan babi bavi kegor rirangan ganmedo detorfe
1 |subject vuru lorgugo |body raga zedi doro togu norne nido ganzan nifo porro lilor foso pumu bokor sugi lanzi manki zaban damorpan binuvan detorfe
-1 |subject vokor sangu kanre moforso |body vorkan:3 mornu nido lanmi vifan dorgor lumor nibo kibor tokor fufefe torbage dovani sorzoti
-1 |subject vokor vorpor keman sorgegor |body vorkan keze mornu norne nido nopan duzanfor lanborro torporfo lamufe
1 |subject vokor sangu penan tuba |body keze nido lanmi:2 porro duro tanzor sanlufor
1 'letter820|subject keze nido roda duki |body raga zedi keze togu norne vanti zori randu saran gopi forte biduze
-1 1.5 |subject ganzan zeda forte |body vorkan tangan pebi vanlor dofor pumu nangu gavo revorku sornene betanmi sefuva
-1 2 |subject givo pisu lanfofan lubopu |body mornu:2 mali lozor kibor demor sevu fute govugor dakipo sesisan
1 |subject doro bormi |body zedi:2 zure fusor kansu gilan kiba ropor panzan mopordo zanzorman
-1 1.5 'letter824|subject fuzo tikorre |body vokor keze mornu norne nido:2 vanti guva pebi fano rosor topan fime gorforgi
1 'letter825|subject zedi doro keze norsu |body raga:3 zedi roda ganzan niro musor pibotu milisu nusamo donorfor
1 |subject lanmi gando |body raga:2 doro vanti bormi panru napan zorzo buse busor lorganba munormor porannu
-1 |subject vorkan babi nufe fusorgu |body vokor:2 vorkan:2 keze norsu pebi dorgor kiba faban lunan fapa zorsor tanginu desasu fusanbe tomegu losova fanpapo vubovo
-1 |subject morgan ripo morradi |body vokor mornu:2 nopan vipi roni pibo dorgan beto pimorpe sizofa gavanvi
-1 |subject norne tugu |body vokor:2 doro togu sangu tugu pebi keman mano busor vupi sifan duro ziza banran laban pamuror kanmuge zikore lorrandi fezanlu
1 |subject raga sangu kibor |body raga:3 zedi doro roda guva dolan givo tufulo tutormu lomormi zorgofu
-1 |subject mali tugu kiba |body vorkan vifan:2 duki torge napan bogi ripo viman
-1 |subject vokor guva nangu vorvorre |body vokor doro bemor:2 biti sankan:2 lesan mano sopor tefa zanman panvuma fomoge lebezan ponomo bugifu
-1 |subject duki tutormu fikago |body raga:2 doro losan sorlo kegor peko zanlifan desevu pobobu zifaga
-1 |subject penan nopan tubi duneso |body vorkan:2 mornu sangu mali lozor nido:2 nopan babi pebi vanlor:2 rova manpan dorgor dornan danbor nisan vanpanu lankapan pinuran koguke
1 |subject togu kubo |body doro keze norne gori pebi ganzan lorlan rova kipi lagor musor kafe lanzi regi fime zadife pekere desevu zanfenor gotusa
1 |subject raga zedi |body raga zedi:2 vokor doro mornu roda vanti gipa nanu gando porguba zopumi
-1 |subject vokor ganupan |body vokor vorkan mornu mali lozor foso bavi gogu nisan sana kunusi matego putalu vangorzi sukalu fanmangu
1 |subject raga zedi daban |body raga:2 keze togu sangu zure tigan norsu dolan ganzan dorgor daban nanu musor nufe neti kegor forte takanlor lisamor zangela rifanpe
1 |subject nopan porro levoku |body raga:3 togu roda vanti zure norsu duki kipi kubo busor gogu gopi para nobor:2
-1 1.5 |subject zedi vokor vorkan gufolo |body vokor:3 vorkan doro nopan vifan gori pebi sevan manve mikan tubi pupi piso kormu:2 bokor nili desasu sevipa mazute fanpapo
1 |subject doro sorlo sika govugor |body raga sangu gori tolu kedor fanka sose sutorlu pokivi
-1 'letter842|subject vokor bokor |body babi givo lopi tubi randu vipe sugi retu vonor banpe banran fomoge dilankan
-1 |subject vokor danbor |body zedi vokor:2 vorkan tugu pemo lupo sanfa
1 'letter844|subject raga togu |body zedi nido norsu bormi rorti nifo kuzo nazopa kufida
-1 |subject vorkan mortorpor zotiga |body vorkan:2 nopan gefan tubi danbor sorzoti borguto
-1 |subject kope fori darorza landomu |body vokor babi morgan mano nibo vortan nili goban sifan fapa koliza lanborro midimi gorforgi datonor
-1 |subject raga fori borrubi |body zedi vokor:2 mornu vanti bemor fuzo beno tubi sagi rere novala tevuti papanko nozandan maporsi
-1 |subject tugu vordorre |body vokor:2 vorkan mornu sangu nopan zanle pema bokor topan dedansor manugo zufandan
1 'letter849|subject keze tavi fanvozu |body raga keze togu sangu rorti kega nanu rormi nofe kule lofo muvoma
1 |subject fusor gipa |body doro roda ranvo ganzan napan talor kibor tinornan
1 1.5 'letter851|subject raga zedi busor |body raga zedi:3 doro keze lanmi norsu duki lorlan rorti torge fanbe pebore zopuvor
-1 |subject pebi nageko |body vokor vorkan mornu penan lozor vanti nifo dorgor gitu mano sopor tefuzo morlaban kitila
1 |subject sangu tolu |body raga:3 zedi vokor doro norsu bormi kanti rormi dibi
1 |subject raga nanu |body raga keze:2 norne negor pemo ranfan kubo modu dazu zanlifan lusaran
-1 |subject vifan zolu reforka |body vokor vorkan:2 togu:2 sangu tigan legan fusor negor lopi foso gilan pibo kormu sanmi safupi verivu tinaro dukorror botorsa vagulan
-1 |subject zorsese bortabe fanzure |body vokor:4 vorkan mornu penan lozor roda tigan lorlu sana formanto
-1 'letter857|subject raga gitu demor |body vokor:2 vorkan:2 doro mali nido biti givo bilor dorgor lase gilan suno muvoma vubego vangamor guzanze
1 |subject zedi beno pekor mortorpor |body raga:3 roda tangan vifan gori vorpor kansu panga zariba tanzobu
-1 'letter859|subject biti sorlo nedupor duvanfi |body togu norne bemor tigan zeda sanmi kormorpe midimi
-1 |subject vorkan lusa |body raga vorkan sangu nido tangan vifan tigan vanlor pema tubi dofor mano porlira putalu lorganba lasekan ranteku kinevor nadorro befaba
-1 |subject vokor ziso |body mali nopan vifan fano sevan mano tokor tozage
1 |subject raga lanmi zure ganzan |body zedi togu norne lilor regi vodetor kupelo vituga
-1 |subject vorkan mali vifan |body vokor:5 mali nopan rosor kipi gilan lumor zezo tefuzo zorbeka nozandan zorganpu
-1 |subject togu tubi |body vokor:3 lozor tugu biti:2 legan guva babi:2 rova bilan forfan donan pezulan sornene bupeme
-1 |subject legan dofor morruse kitila |body vokor:3 vorkan:2 mornu penan nopan sorlo tigan givo nute forbu beto letor duzanfor koliza porlira milisu sefuva kirava
1 |subject zedi norne rirangan |body zedi:2 doro togu zori tolu zeda torge nanu sivan vizor panzan muvoma tozage sanlufor sisanfu
1 |subject lanmi rortira |body zedi roda zure duki zori sorran saran motako gilanfan
1 |subject zedi vanlor kafe guruga |body raga zedi vorkan doro norne roda:2 bormi torzo lase sanli tutormu vanruzi tivolu
1 |subject doro muvuma |body zedi:2 doro:3 keze:2 sangu roda:2 norsu:2 vorpor budi sankan roke zariba ponomo dorvodan
1 |subject raga zedi norsu gugo |body raga:2 zedi:2 togu lozor vanti:2 bormi kansu tafi pupi forbu pisu pumu zora kegan banpe mandupo mivorgu
-1 |subject norne kima zipu |body vokor:2 vorkan:2 mornu lozor nopan biti pebi tolu manpan nute beno kuzo lumor vipe sorke manforso guzanze
1 |subject ranvo negor nankan dorvanman |body raga:6 zedi:2 vorkan doro keze:2 mornu tangan torge zemi panru ropor mufo litu
1 |subject doro zumopa |body zedi keze losan tibe daban zorzo kubo vipo tafufan santovan sevigu tonuki tortango
-1 |subject mali pebi fuzo |body vokor vorkan vanti vifan guva babi bilor nangu:2 tavi lopor faku vasago pivapu zankuri
-1 'letter875|subject nido sagi |body vokor vorkan:2 doro lozor roda vanti nopan tugu torzo sevan pisu bavi lanzan sanovo fobofe norkikan fagortor dolilo momoni lumantan
-1 |subject sifan benazu |body mornu penan mali lozor:2 bemor tugu ganzan rova bilor vipi roni nankan tare lotu mano gopi ziza sornene muborbu kavoma gepusor
-1 'letter877|subject nido tigan tefa manki |body vokor vorkan mali tugu vavan mantorze lofode dagedor
-1 'letter878|subject lozor morgan tamupan tankibo |body vokor vorkan mornu sangu mali bemor togi kofe koliza
-1 'letter879|subject legan suno |body vokor vorkan sangu nido zori fano kope tare bilan nufe paloru vangamor santovan banrele metorso ponomo nadorro
1 |subject raga lanmi nopa |body zedi losan roda lanmi norsu kega kansu beno suva nenu modu
1 1.5 |subject zedi dizeve |body raga lanmi gori norsu duki torge beno zanrorze katida luzopo
-1 'letter882|subject lozor lotu |body nopan fano lopi sagi nofe danbor gavo nirasor dofangor tanriva
1 |subject zanle forfan |body raga:2 zedi:4 doro:3 mornu roda:2 gefan niro:2 vipe nefa sibo forfan serelor gudangu manugo ramatu
-1 |subject vorkan randu lanzi kitila |body vokor:2 mornu sangu mali:2 tuba gori legan nani dorgor rosor gilan kormu dorgan manse faban viman pibotu gupozor danzute:2
1 'letter885|subject raga lanmi sorlo sagi |body raga vokor keze roda lorlan gefan rormi nuzan busor saran borsor zolu piki meborla tisesu fosanfa
1 |subject rorti kega kanti |body raga zedi lozor roda lorlan tolu porro:2 gando gorbetan bumuman
-1 |subject vanti dorgor sornene |body vokor vorkan mali vifan legan:2 babi fano randu bavi tefa zorna zulan mandupo fornorro disaka zovevi lorgugo dannoti bafapa lapezan lubulo sumiko
-1 |subject vokor tigan dokorban fanzare |body vorkan lozor vifan:2 tigan fano:2 lase zono
-1 |subject vokor panvuma resadi |body vokor:2 vorkan:2 nido vanti vifan tugu legan fano keman togi reza verivu gavanvi kobanbi mituki rosanfi kazemo
1 |subject zedi bilor gorgorru |body zedi doro mornu nido roda gori ranvo givo negor porro pumu dakorde tomegu forbata
-1 'letter891|subject vokor roda fori zezo |body vokor vorkan nopan vifan tibe tafi bavi sugi tefa viman nosu kusanvu gekorse lorziro tanlimo dateko bafapa zikore dulorzu
1 'letter892|subject luran pafate |body raga:5 zedi doro sangu lanmi ranvo porro lera kudaran liforre gamuman vaturor
1 |subject raga losan roda manse |body raga:3 zedi doro mali lozor roda norsu zori tolu rorti kega sorran manve fori lesan kubo ribi ransu rotanpu
-1 |subject vorkan rova suno dorgan |body vokor:2 manpan nute beno foso tubi busor lanlu tefa nubi tigor rannofo danganzor nageror
1 |subject zedi norsu kikanmi |body raga:3 zedi:2 fusor dolan kansu gipa sivan vedan rokan nuka modu fanka sose:2 tornorban gotova damorpan revebu gisorbo lonade
1 |subject zorzo losogu |body raga zedi:2 vokor sangu norne roda tuba zori rorti lopi foso napan gopi rokan dibi mandupo pekere tororbu madozi bankuga kanrete
1 'letter897|subject raga norsu niro bekunor |body raga zedi:3 doro norne roda budi zemi fanbe dubo gorsosa netere porkubor nudati
-1 |subject babi panvuma desasu |body raga vokor vorkan togu mali:2 legan babi bilor tubi dofa dorgan vavan nubi verivu zorsese maporsi zarandi
-1 |subject penan begazo |body vokor:2 vorkan:2 mornu losan vanti tuba tugu tigan tafi gitu davor modu ziza litu tanzor duzanfor neteror ludope doforri:2 pokuri
1 |subject zedi kanti |body zedi togu gori kanti tofi zotu kegiki robapor
-1 |subject lumor borpu fanganban |body vokor mali tangan vanti nopan vipi nute dornan fapeze vorvorre
-1 |subject torzo tavi torbuvan |body vokor:2 vorkan sangu mali vanti nopan vifan nufe lanlu novor dangovi
1 |subject zedi zori sango |body raga vorkan sangu penan losan guva torge nitu rornago morribo rormanso
-1 0.5 |subject keze budi pidavan dagedor |body raga vokor doro togu mufo dorbe zuzu kuzide
1 |subject zedi manse tatefor |body raga:2 zedi doro togu lanmi:2 duki zori tolu rorti gugo kansu nifo lisu pupi zuzu benan gorfo fova beganvi tangego toborkan
-1 |subject tuba gantanfor |body vorkan:2 togu mali nido legan lorlan bilor gandi kubo ribi gimorgi patagi sankorgor
-1 |subject vokor tangan |body vokor norne tangan kope lesan fusan dubo zovevi
1 |subject dolan kansu nifo |body raga:2 togu losan zure norsu tolu givo torzo gandi garu zusi piso bilan lordu zopumi govugor govosu pobobu
1 |subject raga porro panru lemorga |body raga:2 zedi:2 doro penan losan roda rorti lapan zorta kormunu zitere bumakor
-1 |subject nido guva vanlor |body zedi vorkan nopan vifan:2 tigan robo kope pemo gilan dofa suno sibo lorganda sevipa kavufa
1 |subject penan bormi porro zora |body raga:2 zedi:4 doro sangu norne roda:3 lanmi fusor fano givo torzo mador niro zolango ferasi dinebor
-1 1.5 'letter912|subject penan sagi |body raga:2 vokor vorkan doro mornu roda lanmi nopan legan guva kipi dofor sagi puke beto nisan milu sevu gazake sovidan foluvo
-1 |subject nopan kule novala bevino |body zedi vokor:3 roda vanlor luvine panlevan tesortan zovevi
1 |subject duki kega |body raga:2 zedi roda lanmi sorlo budi lilor sevu detanfa tuseda
1 |subject nopan budi |body raga:2 zedi doro togu penan losan tuba kanti nifo panru nunan vupi:2 panvuma
-1 'letter916|subject vokor mornu demor |body vokor:2 lozor zanle vorpor zeda lanlu nangu goban zorta bevino bamanve pomoso zorkanbi mitemo torporfo nokordor
1 |subject sanfu fuva |body raga:2 zedi:2 norne givo morgan budi nifo manve nenu dobolu
1 |subject zedi duki budi |body raga zedi:3 lozor zure gefan porro:2 nankan mikan vavan manki
1 'letter919|subject raga zedi mornu zure |body raga:2 zedi doro penan losan lanmi:2 roni tubi kubo forda ziso porkubor vandizi manganro porrite kisefa
-1 |subject duzanfor pevopo |body zedi vokor mali nopan dorgor sorran pema dofa kormu duli bavi sana silaro torbage kufida mantorze
1 |subject doro negor manve poduvan |body zedi:2 doro mornu vifan tuba pebi rova gugo mador nifa gorfo
1 |subject doro rorti rosor muvoma |body raga zedi:3 keze mornu lanmi givo nifo sorran manve nankan novor ziku rorbanri gufolo rubube givitu
-1 |subject tugu zesanne |body vokor:3 vorkan norne tangan legan bilor rosor kormu safor zorsor nitu daledan lordordan kordiri
1 |subject keze vakandan |body raga:2 zedi togu norsu talor kedor fevi
-1 |subject foso buse mesanre vifange |body zedi vokor mornu tolu vanlor mano kormu nuka panban para metorso nibido sesisan
-1 |subject tangan nenanfor belonor |body vorkan:2 mornu pebi vorpor foso dofor suno pisu duzanfor bamanve poduvan nofasor
-1 |subject togu kubo bepovi |body raga vokor norne nido kope tibe kormu kevo sana demu daledan
1 |subject zedi tugu babi ganzan |body doro:3 mornu norne losan dolan kanti torzo manve fanka nenan gorgorru muvuma pusorpa paragu lantorman
1 |subject raga nuzanla borregan fepuku |body raga:3 zedi keze togu:2 roda zori budi kansu vipi porro tare piso fime gelema mankebi zanfenor
1 'letter930|subject lagor kuvada vansorko |body raga:2 lozor roda bemor biti tigan robo nupu foma
-1 |subject vifan lasu |body zedi gori bilor nute sevan lopi moran tofi duli reza fuva:2 bopan dibi gibugor manganu serelor lordordan fomoge nitili dizupi giviror
1 |subject zedi lilor satoba |body zedi:3 vorkan doro keze togu:2 sangu bemor kega kanti roni gipa daban niro kafe tefa levoku vanroba
-1 |subject luvine nikize |body vokor togu sangu fuzo foso bilan safor para fute fusorgu pirufo morsanbo vifange
-1 |subject name bifoku |body vokor:3 tugu:2 dolan fano manpan tubi talor meki dorgan sanfu forda lofo fusanbe rozedan
1 |subject keze kega dodumi |body raga:2 zedi roda sorlo robo rosor kedor kegan gubanni
-1 |subject tigan vanlor |body vokor:2 vorkan nopan sevan zorsor putalu morsulan
1 'letter937|subject zedi duki memogi |body raga zedi:3 togu roda zure duki fano givo kega talor fitu forfan tiran pibotu tamupan bapeke
-1 |subject dorgan vonor nozandan |body nopan tugu babi:2 vipi foso kuzo tare bavi nuse bani lera detanfa vubego bumakor tokanre zanlozo dulorzu menoli
1 |subject norsu bogi lasa nankupan |body doro penan duki tolu kanti panru vufor minan gono meroko vokanto
1 |subject raga lanmi |body raga zedi:2 togu losan roda:2 norsu porro sivan nunan gasorme kezedi
1 |subject zedi dolan godesa |body raga zedi:2 keze mornu mali sorlo panga nanu:2 niro reza ziku vizor panzan sango tiranpa farorvor zansenan sarizi
1 1.5 |subject lanmi piso |body raga zedi togu losan tangan vanti givo budi mikan ranvi fanka zalorfe gelema parimo vorfuzor fidebe rorrorban
-1 'letter943|subject zedi vorkan mali nopan |body raga vokor:2 mali zure duki fano vorpor vipi dorgor pema manve dornan tare lotu mano duli zezo dilankan senanmi
-1 |subject vanlor puke sorke gepusor |body togu legan guva babi dornan side duli laban verivu
-1 'letter945|subject lozor fano |body vokor:3 vorkan:3 penan lozor bemor:2 nopan legan zeda novor sorve piki rosopor putalu lorganba lagudi zudube mazene
1 'letter946|subject vokor panga napan zolu |body zedi vokor:2 togu sangu norne mali lozor vanti kega fuzo nuzan kormu demor pivan vorfuzor lubopu morsanbo
1 |subject lilor zuzu |body raga:2 zedi doro mornu losan roda vorpor kanti manve tante kokanmi gozankor tanzobu madozi donorfor
1 'letter948|subject zedi moran |body raga zedi:2 doro keze roda roni manve gando pifeni vituze vevorvi vuzigu
1 'letter949|subject dedeva dinebor |body raga:2 zedi rorti kanti lilor talor musor mufo runan botifo nosage
-1 1.5 |subject sorlo zorsor |body vorkan sangu penan mali vifan tugu:2 biti sorlo zeda tare nuzan bavi mifi:2 sanmi norbuko
-1 |subject vokor vorkan roni |body vokor:5 mali nopan tigan babi kega vipi gandi ranfan gitu suno meki danbor gogu tefa panban godesa tinornan zorbeka
-1 |subject vokor nopan vifan guva |body vorkan penan lozor sorlo kope tibe fasan pisu vonor zalidi senorfo
-1 |subject nute sevan zanlifan vorvorre |body zedi vokor vorkan:2 keze togu nido vanti vifan ranvo sevan gandi foso lesan borsor nangu fusanbe benazu fogive lebasan vanroba
1 'letter954|subject raga penan tangan |body zedi:2 keze dornan musor tante manki rekimu lapezan robapor
-1 |subject mifi borpu |body vokor togu penan lozor:2 vanti vorpor zeda dorgan kevo naror vorgiran gesanto gazake ronosa bortabe
1 |subject vorpor lanborro sevigu |body raga zedi:2 doro:3 keze roda:2 lanmi norsu duki kanti sugi borsor gando rumo muvoma tomegu
1 |subject zedi doro togu losan |body raga:4 zedi:3 doro losan zure kega fuzo gefan nifo pemo zorzo niro kedor
1 |subject zedi norne runan |body raga mornu sangu lanmi bemor rorti givo budi kanti porro suva musor torfor gorpu gasorme tozumu magiror
1 |subject togu rorti rornago |body raga doro:2 keze togu sangu norne lanmi:2 tangan tuba nankan gandi kuzo ropor nenan peko kodasa begazo fidebe soneror
-1 |subject mali lase nozuzan |body zedi vokor:2 vorkan legan fuzo nofe mifi lizorvi zorbeka manganu sebanan sezara
-1 |subject nido nani topan |body mornu sangu mali fori garu mador zusi fasan dofor gazake bamanve
1 |subject vifan monorlor kavoma |body vorkan:2 mali pebi kipi tare zusi lasu verivu
-1 |subject vokor manpan |body penan nopan gori babi fanbe mano tangego zorganpu
1 |subject raga togu porro |body raga:3 zedi:3 vokor doro togu norne roda lanmi norsu:2 zori robo kedor vupi gosose serelor
-1 |subject sangu napan |body zedi vokor:3 vorkan:4 doro nopan:2 tuba fuzo panru ranfan dornan:2 lagor lotu fupo kazaro komanpi
-1 |subject pebi fanbe demor morsanbo |body vokor mali tigan legan rosor kope foso bilan kanre sanfu lusa lutako dovani palimi gumovan mubura gasebu
1 0.5 |subject zedi zanle nuzan |body raga:5 doro:2 mornu ganzan lilor garu korkupu
1 'letter968|subject togu manki panzan |body zedi:2 keze mornu sangu roda:3 fusor norsu dolan kanti zemi nankan gima morgedan vituga
1 |subject raga roda vorpor zeda |body raga:4 zedi:2 mali lozor piso mesan mama noma tatefor sibego fibafa gasorme fifazu
-1 |subject kiba bormabi gavanvi |body mornu norne tugu manve pemo vedan faban tanginu vankivan nanropi
-1 'letter971|subject doro biti guva manugo |body zedi vorkan togu legan guva vanlor keman kope tubi randu lasu larati papanko dorrano zitosi rafafa vankivan maporsi nofasor vanpefi
1 2 |subject keze nido kudaran |body raga roda vanti tafi gopi forfan tinaro dofangor ganmedo mezoma vuzigu
1 |subject vanti ranfan lagor kazaro |body raga doro keze togu:2 givo:2 talor kedor nofe musor refa gelema porlira rereli korvero norlifo
-1 |subject bani gavanvi |body vokor vorkan doro keze mali nopan:2 tibe lanlu beto navobor
1 |subject raga doro roda |body raga:2 zedi doro togu sangu:2 zure tolu morgan budi kipi beno nankan busor sugi vizor gasu torpiru mirorno gilorve topaban
1 2 |subject pema nili buvozu |body raga:4 zedi:2 losan roda lanmi vanti ganzan:2 kega kanti sevan nuku musor keta lapaban landegan butunor
1 |subject raga torge nifa |body raga:2 zedi lanmi tigan nankan sango paragu tutate
-1 |subject vokor zanle |body zedi vokor vorkan:2 mornu penan vifan legan torzo tubi rosopor vankivan fadagu vikumu ranteku soviki dizupi tomorkan
-1 |subject lesan disaka vagulan |body vorkan:2 tugu legan fori lumor moran piso lesan sagi sugi pekor nangu refa panlevan morradi
1 |subject norne tofi |body raga:2 zedi:2 doro keze mornu zure gori dolan bormi fuzo porro gipa nuzan danbor sango tinornan tevuti zosapa noborpa motako forgodan
1 |subject porro mologor |body raga:3 zedi:3 roda zure givo gugo gefan sankan porro kedor regi fevi sorve dazu buranke tatefor mopordo forkigor
-1 'letter982|subject vokor babi gomor fansube |body losan nopan vifan zure lorlan bormi rova negor sevan bani levoku kibiman roretu pareta tabavan vunavu
-1 |subject nubi doruze |body vokor:4 vorkan mornu tugu sevan bilan suno vedan fuva leve fova komudi formanto ronosa gidador papanko
-1 |subject vokor kope lanfize sutangu |body raga vorkan mornu roda vifan fusor fuzo dornan tubi kiba retu tefa nubi rornago vifange lumantan
1 |subject zori satoba |body raga mornu manve panga zorzo piso:2 nofe banpe tanzor nirasor forbata
-1 |subject danbor ropor |body vokor vorkan:2 mali bemor tibe foso gitu dofa randu suno fuva lankapan soneror sizofa siforvi
-1 |subject tigan vanlor forvor |body vokor vorkan pebi:2 keman manpan kipi togi kebika panvasa
1 'letter988|subject zedi zemi |body zedi doro keze lanmi biti norsu tolu rova zeda lagor nuku regi fova torpiru mologor togaman
1 'letter989|subject roda gumage |body raga sangu:2 norne roda kansu tafi miman zulan regi dodumi
1 |subject tolu begazo |body norne lozor roda tangan zori:2 kega negor kedor gita nofe ziku lanze manki buranke lozede zorsope
-1 |subject nido vifan nuse |body vokor:3 vorkan mornu lozor vanti nopan legan lopi tubi lotu suno norzor kofe gorfo lankapan mubura selobor dorvanman
-1 |subject kofe tusanbor |body vorkan:2 keze togu vifan pebi zanle budi zeda tubi mifi tefa vupi zolu fusorgu zankatu vorgorgu fanpapo mornorno
1 |subject rorti manve forbu |body raga zedi doro norne lozor guva busor kafe dekati nuzanla
-1 |subject vorkan sorlo kormu vorgozor |body vokor vorkan:2 mali tangan vifan sorlo dornan retu vavan para
1 |subject losan gefan |body raga:2 doro lanmi sorlo negor kipi nifa zora norzor mufo futan sopanbu vorfuzor
-1 'letter996|subject mornu tangan tubi |body vokor mornu nopan tigan sorran gipa tibe rorto kima kanre sugi sibo sifan para milu ziza banran nirasor pubeman vabordi
-1 'letter997|subject sanfa lebasan |body vokor vorkan lozor rosor sevan lumor demor nitor koliza sorluru nipegor vaturor
-1 |subject fori garu bebu |body zedi vokor togu:2 mornu lozor rova nankan mikan garu tubi vedan lanzi zono vipo vimuvor bezaman fogive pavannu danganzor
1 'letter999|subject raga vokor vizor vorelan |body doro togu sangu penan lanmi fanbe kazaro sanlufor zanrudu
-1 |subject losan panvuma |body raga vorkan mornu mali vifan bilor lagor moran lordordan zibozi
